import { randomUUID } from 'node:crypto'
import { Problem, type WorkerRequests } from '@tapdeck/api'
import type { ArchivedSnapshots, CaptureSummary, GrantedUpload } from '@tapdeck/recording'
import type { Worker } from '../cluster/worker.ts'
import type { SnapshotWindow } from './snapshot-window.ts'

export interface NodeUploadOptions {
  readonly archive: ArchivedSnapshots
  readonly name: string
  readonly node: string
  readonly window: SnapshotWindow
  readonly expectedBytes: number
  received(bytes: number): void
}

type Step = WorkerRequests['upload']['output']
type Result = NonNullable<Step['result']>

/** A step sends some parts; the worker gives up before. */
const STEP_WITHIN_MS = 150_000
/** A node may take so long, and longer for more bytes: after that the hub takes the packets itself. */
const NODE_WITHIN_MS = 600_000
const MIN_BYTES_PER_MS = 256
/** A timer takes no more; it would end at once. */
const MAX_TIMER = 2 ** 31 - 1
/** Checksums of blocks and index of one capture. */
const MAX_SUMMARY = 64 * 1024 * 1024

/**
 * The upload of one node's packets by its worker. The hub signs an address for each part that the worker has ready; no packet
 * passes here. After a broken connection `run` is called again: what arrived is not sent twice.
 */
export class NodeUpload {
  readonly #options: NodeUploadOptions
  readonly #deadline = new AbortController()
  readonly #timer: NodeJS.Timeout
  #granted: GrantedUpload | undefined

  constructor(options: NodeUploadOptions) {
    this.#options = options
    const wanted = NODE_WITHIN_MS + Math.ceil(options.expectedBytes / MIN_BYTES_PER_MS)
    const within = Math.min(wanted, MAX_TIMER)
    const late = new Problem(
      503,
      'upload_slow',
      `The upload took longer than ${Math.ceil(within / 60_000)} min`,
    )
    this.#timer = setTimeout(() => this.#deadline.abort(late), within).unref()
  }

  /** Bytes that arrived in the bucket. */
  get bytes(): number {
    return this.#granted?.bytes ?? 0
  }

  /** Throws what the worker, the storage or the connection throws. */
  async run(worker: Worker, signal: AbortSignal): Promise<void> {
    const { archive, name, node, expectedBytes, received } = this.#options
    this.#granted ??= await archive.grant(name, node, expectedBytes)
    const granted = this.#granted
    const upload = randomUUID()
    const within = AbortSignal.any([signal, this.#deadline.signal])
    let parts: WorkerRequests['upload']['input']['parts'] = []
    for (let last = 0; ; ) {
      const { step, pieces } = await this.#step(worker, granted, { upload, parts }, within)
      const before = granted.bytes
      for (const number of step.sent) granted.arrived(number)
      received(granted.bytes - before)
      if (step.result) {
        clearTimeout(this.#timer)
        const { start_ts, end_ts, partial } = step.result
        const covered = { start_ts, end_ts, partial }
        await granted.complete(summaryOf(worker, step.result, pieces), { ...step.result, covered })
        return
      }
      for (const { number } of step.ready)
        if (number !== ++last) throw badAnswer(worker, `part ${number} is not the next one`)
      if (step.ready.length === 0) throw badAnswer(worker, 'there is neither a part nor a result')
      parts = await Promise.all(
        step.ready.map(async (part) => {
          const url = await granted.grant(part)
          return { number: part.number, ...(url !== undefined && { url }) }
        }),
      )
    }
  }

  /** Leaves nothing of it in the bucket. */
  async abort(): Promise<void> {
    clearTimeout(this.#timer)
    await this.#granted?.abort()
  }

  async #step(
    worker: Worker,
    { partBytes: part_bytes }: GrantedUpload,
    request: Pick<WorkerRequests['upload']['input'], 'upload' | 'parts'>,
    signal: AbortSignal,
  ): Promise<{ readonly step: Step; readonly pieces: Uint8Array }> {
    const { start, end } = this.#options.window
    const pieces: Uint8Array[] = []
    let bytes = 0
    const step = await worker.stream(
      'upload',
      { ...request, start, end, part_bytes },
      async (piece) => {
        bytes += piece.length
        if (bytes > MAX_SUMMARY) throw badAnswer(worker, 'checksums and index are too large')
        pieces.push(piece)
      },
      { patience: STEP_WITHIN_MS, signal },
    )
    return { step, pieces: Buffer.concat(pieces) }
  }
}

function summaryOf(worker: Worker, result: Result, pieces: Uint8Array): CaptureSummary {
  const { size_bytes, sha256, sums_bytes, index_bytes } = result
  if (pieces.length !== sums_bytes + index_bytes) throw badAnswer(worker, 'checksums or index are incomplete')
  const index = pieces.subarray(sums_bytes)
  return { size_bytes, sha256, sums: pieces.subarray(0, sums_bytes), ...(index_bytes > 0 && { index }) }
}

function badAnswer({ node }: Worker, why: string): Problem {
  return new Problem(503, 'bad_answer', `Invalid response from node "${node}" (upload: ${why})`)
}
