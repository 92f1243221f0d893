import { Problem } from '@tapdeck/api'
import {
  type ArchivedSnapshots,
  OutOfSpace,
  type SnapshotStore,
  type SnapshotWriter,
} from '@tapdeck/recording'
import type { Slots } from '../cluster/slots.ts'
import type { Worker } from '../cluster/worker.ts'
import type { Log } from '../log.ts'
import { NodeUpload } from './node-upload.ts'
import type { SnapshotWindow } from './snapshot-window.ts'

export interface NodeTransferOptions {
  readonly name: string
  readonly store: SnapshotStore
  readonly window: SnapshotWindow
  readonly log: Log
  readonly signal: AbortSignal
  /** Held while bytes come, not while it waits for a worker. */
  readonly slots: Slots
  /** Present: the node is to upload its part itself. */
  readonly direct?: { readonly archive: ArchivedSnapshots; readonly expectedBytes: number }
  received(bytes: number): void
  /** The next connection of a worker that left; undefined where none comes. */
  returned(left: Worker): Promise<Worker | undefined>
  reason(error: unknown): string
}

const PIECE_WITHIN = 30_000
/** Only the edges of a window are copied for it. */
const HAND_OVER_WITHIN = 60_000
/** Attempts one after the other that bring no byte. */
const MAX_FRUITLESS = 2

/**
 * Brings the packets of one node into a snapshot: by the node itself into the bucket, or to this disk. If the connection
 * breaks, it waits for the worker and continues where it was. What arrived must have the checksum that the worker took.
 */
export class NodeTransfer {
  readonly #options: NodeTransferOptions
  #worker: Worker
  #writer: SnapshotWriter | undefined
  #upload: NodeUpload | undefined
  /** Why the node did not upload its part. */
  #refusal: string | undefined
  /** The last write, which may outlive the request that it belongs to. */
  #writing: Promise<void> = Promise.resolve()

  constructor(worker: Worker, options: NodeTransferOptions) {
    this.#worker = worker
    this.#options = options
  }

  async run(): Promise<void> {
    for (let fruitless = 0; ; ) {
      const before = this.#bytes
      try {
        await this.#options.slots.use(() => this.#take())
        if (this.#refusal !== undefined)
          this.#options.direct?.archive.noteRefusal(this.#options.name, this.#worker.node, this.#refusal)
        return
      } catch (error) {
        fruitless = this.#bytes > before ? 0 : fruitless + 1
        const next = fruitless < MAX_FRUITLESS && isBroken(error) ? await this.#again(error) : undefined
        if (next === undefined) {
          await this.#fail(error)
          throw error
        }
        this.#worker = next
      }
    }
  }

  async #again(error: unknown): Promise<Worker | undefined> {
    const { name, log, signal, returned, reason } = this.#options
    if (signal.aborted) return undefined
    log.info(
      { snapshot: name, node: this.#worker.node, bytes: this.#bytes, reason: reason(error) },
      'the transfer of a node was interrupted; continuing when its worker is connected',
    )
    return returned(this.#worker)
  }

  get #bytes(): number {
    return (this.#writer?.bytes ?? 0) + (this.#upload?.bytes ?? 0)
  }

  async #take(): Promise<void> {
    const isFirst = this.#writer === undefined && this.#upload === undefined
    const isTaken = (isFirst && (await this.#takeFiles())) || (await this.#takeUploaded())
    if (!isTaken) await this.#takeBytes()
  }

  /** The node brings its part into the bucket; false where it cannot, and the packets have to come here. */
  async #takeUploaded(): Promise<boolean> {
    const { name, window, log, signal, received, reason, direct } = this.#options
    if (direct === undefined || this.#refusal !== undefined) return false
    const worker = this.#worker
    this.#upload ??= new NodeUpload({ ...direct, name, node: worker.node, window, received })
    try {
      await this.#upload.run(worker, signal)
      return true
    } catch (error) {
      if (signal.aborted || worker.gone) throw error
      await this.#upload.abort()
      this.#refusal = reason(error)
      log.warn(
        { snapshot: name, node: worker.node, reason: this.#refusal },
        'a node cannot upload its part of a snapshot to the object storage; the hub does it',
      )
      return false
    }
  }

  /** Without copying, where the worker has the same disk; false where it has not. */
  async #takeFiles(): Promise<boolean> {
    const { name, store, window, log, signal, reason } = this.#options
    const worker = this.#worker
    const folder = await store.lend()
    try {
      const handed = await worker.ask(
        'hand_over',
        { start: window.start, end: window.end, folder, max_bytes: store.room.free },
        { patience: HAND_OVER_WITHIN, signal },
      )
      await store.adopt(name, worker.node, folder, handed)
      return true
    } catch (error) {
      const problem = error instanceof Problem ? error : undefined
      if (signal.aborted || worker.gone || error instanceof OutOfSpace || problem?.status === 507) throw error
      if (problem?.code !== 'not_shared' && problem?.code !== 'unknown_request')
        log.warn(
          { snapshot: name, node: worker.node, reason: reason(error) },
          'cannot hard-link the recording of a node; copying it',
        )
      return false
    } finally {
      await store.takeBack(folder)
    }
  }

  async #takeBytes(): Promise<void> {
    const { name, store, window, signal, received } = this.#options
    this.#writer ??= await store.writer(name, this.#worker.node)
    const writer = this.#writer
    await this.#writing
    const from = writer.bytes > 0 ? writer.checkpoint() : undefined
    try {
      const answer = await this.#worker.stream(
        'window',
        { start: window.start, end: window.end, ...(from && { from }) },
        async (bytes) => {
          this.#writing = writer.write(bytes)
          // Awaited again before the next attempt: the request may be given up meanwhile.
          this.#writing.catch(() => {})
          await this.#writing
          received(bytes.length)
        },
        { patience: PIECE_WITHIN, signal },
      )
      requireSame(answer, writer)
      const { start_ts, end_ts, partial } = answer
      await writer.finish({ ...answer, covered: { start_ts, end_ts, partial } })
    } catch (error) {
      if (isChanged(error)) await writer.restart()
      throw error
    }
  }

  async #fail(error: unknown): Promise<void> {
    const { name, store, reason } = this.#options
    await this.#upload?.abort()
    if (this.#writer) {
      await this.#writing.catch(() => {})
      await this.#writer.abort(reason(error))
    } else await store.failNode(name, this.#worker.node, reason(error))
  }
}

/** A worker of an earlier version takes no checksum, and begins from the start where it is asked to continue. */
function requireSame(
  answer: { readonly size_bytes: number; readonly sha256?: string },
  writer: SnapshotWriter,
): void {
  const { offset, sha256 } = writer.checkpoint()
  if (answer.size_bytes !== offset)
    throw new Problem(503, 'changed', `it reported ${answer.size_bytes} bytes, and ${offset} arrived`)
  if (answer.sha256 !== undefined && answer.sha256 !== sha256)
    throw new Problem(503, 'changed', 'the checksum of what arrived is not the one that the worker reported')
}

function isChanged(error: unknown): boolean {
  return error instanceof Problem && error.code === 'changed'
}

/** Whether another attempt can succeed. */
function isBroken(error: unknown): boolean {
  return error instanceof Problem && ['worker_lost', 'worker_timeout', 'changed'].includes(error.code)
}
