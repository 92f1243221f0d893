import { CaptureNotes, CaptureReader, type Loss, TLS_KEY_LOG } from '@tapdeck/wire'
import { type CaptureWriter, PacketOrigin } from './capture-writer.ts'
import { allImported, type ExportedSecrets } from './exported-secrets.ts'
import type { FlowComments } from './flow-comments.ts'
import { Output } from './output.ts'
import { PacketBatch } from './packet-batch.ts'
import type { PacketChoice } from './packet-choice.ts'
import { readAhead } from './read-ahead.ts'

export interface NodeCapture {
  readonly node: string
  /** Each with a buffer of its own. */
  chunks(): AsyncGenerator<Uint8Array>
  /** Called at the end if some blocks were invalid, as in files of other programs. */
  damaged?(blocks: number): void
}

export interface MergeOptions {
  readonly choice: PacketChoice
  readonly writer: CaptureWriter
  readonly comments?: FlowComments | undefined
  /** Default: those that the captures carry. */
  readonly secrets?: ExportedSecrets
}

const PIECE = 256 * 1024

/** The chosen packets of several captures as one file, ordered by time. Each capture keeps its own order. */
export async function* mergeCaptures(
  captures: readonly NodeCapture[],
  options: MergeOptions,
): AsyncGenerator<Uint8Array> {
  const { writer, secrets: { added } = allImported } = options
  const output = new Output()
  // Before the packets that they open.
  for (const block of added) writer.secrets(output, TLS_KEY_LOG, block)
  if (captures.length === 1) yield* single(captures[0]!, options, output)
  else if (captures.length > 1) yield* several(captures, options, output)
  writer.header(output)
  if (output.used > 0) yield output.take()
}

/** One capture needs no order: packets go from the file straight into the output. */
async function* single(
  { node, chunks, damaged }: NodeCapture,
  { choice, writer, comments, secrets = allImported }: MergeOptions,
  output: Output,
): AsyncGenerator<Uint8Array> {
  const notes = new CaptureNotes()
  const loss: Loss = {}
  const origin = new PacketOrigin(node)
  const isWanted = choice(node)
  const reader = new CaptureReader(
    {
      packet(data, start, end, length, time, link) {
        if (!isWanted(data, start, end, length, time, link)) return
        const comment = comments?.of(data, start, end, length, time, link)
        writer.packet(output, origin, { link, data, start, end, length, time, comment })
      },
    },
    loss,
    notes,
  )
  let written = 0
  for await (const chunk of readAhead(chunks())) {
    reader.push(chunk)
    for (; secrets.keepsImported && written < notes.secrets.length; written++)
      writer.secrets(output, notes.secrets[written]!.type, notes.secrets[written]!.data)
    if (output.used > 0) yield output.take()
  }
  if (loss.damaged_blocks) damaged?.(loss.damaged_blocks)
}

async function* several(
  captures: readonly NodeCapture[],
  { choice, writer, comments, secrets = allImported }: MergeOptions,
  output: Output,
): AsyncGenerator<Uint8Array> {
  const cursors = captures.map((capture) => new Cursor(capture, choice))
  try {
    await Promise.all(cursors.map((cursor) => cursor.refill()))
    const heap = new Heap(cursors.filter((cursor) => !cursor.done))
    for (let cursor = heap.first; cursor !== undefined; cursor = heap.first) {
      const { origin, batch, at } = cursor
      const data = batch.sources[at]!
      const start = batch.starts[at]!
      const end = batch.ends[at]!
      const length = batch.lengths[at]!
      const time = batch.times[at]!
      const link = batch.links[at]!
      const comment = comments?.of(data, start, end, length, time, link)
      writer.packet(output, origin, { link, data, start, end, length, time, comment })
      if (output.used >= PIECE) yield output.take()
      if (!cursor.step()) {
        if (secrets.keepsImported)
          for (const { type, data } of cursor.secrets()) writer.secrets(output, type, data)
        await cursor.refill()
      }
      heap.settle()
    }
  } finally {
    await Promise.all(cursors.map((cursor) => cursor.close()))
  }
}

class Cursor {
  readonly origin: PacketOrigin
  readonly #batches: AsyncGenerator<PacketBatch>
  readonly #notes = new CaptureNotes()
  #written = 0
  batch = new PacketBatch(new Uint8Array(0))
  at = 0
  done = false

  constructor(capture: NodeCapture, choice: PacketChoice) {
    this.origin = new PacketOrigin(capture.node)
    this.#batches = readAhead(this.#read(capture, choice))
  }

  get time(): number {
    return this.batch.times[this.at]!
  }

  /** False where the batch is used up. */
  step(): boolean {
    this.at++
    return this.at < this.batch.size
  }

  async refill(): Promise<void> {
    const { value, done } = await this.#batches.next()
    if (done) this.done = true
    else this.batch = value
    this.at = 0
  }

  /** Those that were read since the last time. */
  secrets() {
    const fresh = this.#notes.secrets.slice(this.#written)
    this.#written = this.#notes.secrets.length
    return fresh
  }

  async close(): Promise<void> {
    await this.#batches.return(undefined)
  }

  async *#read({ node, chunks, damaged }: NodeCapture, choice: PacketChoice): AsyncGenerator<PacketBatch> {
    let batch = this.batch
    const isWanted = choice(node)
    const loss: Loss = {}
    const reader = new CaptureReader(
      {
        packet(data, start, end, length, time, link) {
          if (isWanted(data, start, end, length, time, link)) batch.add(data, start, end, length, time, link)
        },
      },
      loss,
      this.#notes,
    )
    for await (const bytes of readAhead(chunks())) {
      // As the reader hands it on, so that the batch knows it again.
      const chunk = new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length)
      batch = new PacketBatch(chunk)
      reader.push(chunk)
      if (batch.size > 0) yield batch
    }
    if (loss.damaged_blocks) damaged?.(loss.damaged_blocks)
  }
}

/** The cursor with the earliest packet first. Only the first one ever moves. */
class Heap {
  readonly #cursors: Cursor[]

  constructor(cursors: readonly Cursor[]) {
    this.#cursors = [...cursors].sort((a, b) => a.time - b.time)
  }

  get first(): Cursor | undefined {
    return this.#cursors[0]
  }

  settle(): void {
    const all = this.#cursors
    if (all[0]!.done) {
      const last = all.pop()!
      if (all.length === 0) return
      if (last !== all[0]) all[0] = last
    }
    const moved = all[0]!
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= all.length) break
      if (child + 1 < all.length && all[child + 1]!.time < all[child]!.time) child++
      if (all[child]!.time >= moved.time) break
      all[at] = all[child]!
      at = child
    }
    all[at] = moved
  }
}
