import { type CallIndex, isDamage, openIndex } from '@tapdeck/index'
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

/** The index files of this node: opened on first use, and replaced if they are damaged. */
export class LiveIndex {
  readonly #start: LiveStart
  readonly #catalog: Catalog
  readonly #events: LiveIndexEvents
  #opening: Promise<CallIndex> | undefined
  #opened: CallIndex | undefined

  constructor(start: LiveStart, catalog: Catalog, events: LiveIndexEvents) {
    this.#start = start
    this.#catalog = catalog
    this.#events = events
  }

  get loss(): object {
    return this.#opened?.loss ?? {}
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
    const { folder, node, nodeIp, maxBytes } = this.#start
    return openIndex(
      folder,
      {
        node,
        captureSource: CAPTURE_SOURCE,
        maxBytes,
        memory: ENGINE_MEMORY,
        ...(nodeIp !== undefined && { nodeIp }),
        packetsSince: () => this.#events.packetsSince(),
      },
      this.#catalog,
    )
  }
}
