import { type CallIndex, type IndexOptions, isDamage, openIndex } from '@tapdeck/index'
import type { ClickhouseIndex, QueueStatus } from '@tapdeck/index/clickhouse'
import type { ClickhouseStorage } from '@tapdeck/index/clickhouse-storage'
import type { Catalog } from '@tapdeck/kfl'
import { damagedFolder, moveDamaged } from './damaged-index.ts'
import { CAPTURE_SOURCE } from './live-calls.ts'
import type { LiveStart } from './live-message.ts'

const ENGINE_MEMORY = 192 * 1024 * 1024

export interface LiveIndexEvents {
  /** Time of the oldest recorded packet; undefined: not known yet. */
  packetsSince(): number | undefined
  /** The damaged index was moved away. What it covered is no longer indexed. */
  replaced(reason: string, error: unknown): void
}

/** The index of this node: opened on first use. Its files are replaced if they are damaged; with ClickHouse it has none. */
export class LiveIndex {
  readonly #start: LiveStart
  readonly #catalog: Catalog
  readonly #events: LiveIndexEvents
  #opening: Promise<CallIndex> | undefined
  #opened: CallIndex | undefined
  #shared: ClickhouseIndex | undefined

  constructor(start: LiveStart, catalog: Catalog, events: LiveIndexEvents) {
    this.#start = start
    this.#catalog = catalog
    this.#events = events
  }

  get loss(): object {
    return this.#opened?.loss ?? {}
  }

  /** What waits to be inserted; undefined: the index is in files. */
  get queue(): QueueStatus | undefined {
    return this.#shared?.queue
  }

  /** Failures other than damage are not cached: the next call tries again. */
  open(): Promise<CallIndex> {
    this.#opening ??= this.#open()
      .catch((error: unknown) => {
        if (!isDamage(error)) throw error
        this.replaceDamaged(error)
        return this.#open()
      })
      .then(
        (index) => {
          this.#opened = index
          return index
        },
        (error) => {
          this.#opening = undefined
          throw error
        },
      )
    return this.#opening
  }

  replaceDamaged(error: unknown): void {
    const { folder } = this.#start
    moveDamaged(folder)
    this.#events.replaced(
      `The live index is damaged; it was moved to ${damagedFolder(folder)} and a new one was created`,
      error,
    )
  }

  async close(): Promise<void> {
    const index = await this.#opening?.catch(() => undefined)
    await index?.close()
  }

  #open(): Promise<CallIndex> {
    const { folder, node, nodeIp, maxBytes, clickhouse } = this.#start
    const options = {
      node,
      captureSource: CAPTURE_SOURCE,
      maxBytes,
      memory: ENGINE_MEMORY,
      ...(nodeIp !== undefined && { nodeIp }),
      packetsSince: () => this.#events.packetsSince(),
    }
    return clickhouse ? this.#openShared(options, clickhouse) : openIndex(folder, options, this.#catalog)
  }

  /** A server that is away does not keep indexing from beginning: calls wait in the queue. */
  async #openShared(options: IndexOptions, storage: ClickhouseStorage): Promise<CallIndex> {
    const { openClickhouseIndex } = await import('@tapdeck/index/clickhouse')
    // The server deletes what is too old.
    const writer = { ...options, ...storage, maxBytes: 0, mayBeAway: true }
    this.#shared = await openClickhouseIndex(writer, this.#catalog)
    return this.#shared
  }
}
