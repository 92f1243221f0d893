import type { CaptureWriter } from './capture-writer.ts'
import { type PacketBatch, packetBatches } from './packet-batch.ts'

export interface NodeCapture {
  readonly node: string
  readonly chunks: AsyncIterable<Uint8Array>
}

export interface MergeWindow {
  /** Unix milliseconds, inclusive. */
  readonly start?: number | undefined
  readonly end?: number | undefined
}

const PIECE = 256 * 1024

/** The packets of several captures as one file, ordered by time. Each capture keeps its own order. */
export async function* mergeCaptures(
  captures: readonly NodeCapture[],
  window: MergeWindow,
  writer: CaptureWriter,
): AsyncGenerator<Uint8Array> {
  const cursors = await Promise.all(captures.map((capture) => Cursor.open(capture)))
  const heap = new Heap(cursors.filter((cursor) => !cursor.done))
  const from = (window.start ?? Number.NEGATIVE_INFINITY) * 1000
  const until = (window.end ?? Number.POSITIVE_INFINITY) * 1000
  let parts: Uint8Array[] = []
  let size = 0
  try {
    for (let cursor = heap.first; cursor !== undefined; cursor = heap.first) {
      const { batch, at } = cursor
      const time = batch.times[at]!
      if (time >= from && time <= until)
        for (const part of writer.packet(
          cursor.node,
          batch.links[at]!,
          batch.bytes,
          batch.starts[at]!,
          batch.ends[at]!,
          batch.lengths[at]!,
          time,
        )) {
          parts.push(part)
          size += part.length
        }
      if (size >= PIECE) {
        yield Buffer.concat(parts, size)
        parts = []
        size = 0
      }
      if (!cursor.step()) await cursor.refill()
      heap.settle()
    }
    parts.push(...writer.header())
    if (parts.length > 0) yield Buffer.concat(parts)
  } finally {
    await Promise.all(cursors.map((cursor) => cursor.close()))
  }
}

class Cursor {
  readonly node: string
  readonly #batches: AsyncGenerator<PacketBatch>
  batch!: PacketBatch
  at = 0
  done = false

  private constructor({ node, chunks }: NodeCapture) {
    this.node = node
    this.#batches = packetBatches(chunks)
  }

  static async open(capture: NodeCapture): Promise<Cursor> {
    const cursor = new Cursor(capture)
    await cursor.refill()
    return cursor
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

  async close(): Promise<void> {
    await this.#batches.return(undefined)
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
