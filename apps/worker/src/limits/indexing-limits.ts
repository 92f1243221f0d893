import type { Log } from '../log.ts'
import { CpuGuard } from './cpu-guard.ts'
import type { IndexingGuard } from './indexing-guard.ts'
import { MemoryGuard } from './memory-guard.ts'

export interface IndexingLimitsOptions {
  readonly isIndexing: () => boolean
  /** `code`: why indexing ends, if a limit is the reason. */
  readonly switchIndexing: (enabled: boolean, code?: string) => Promise<void>
  readonly log: Log
  readonly guards?: readonly IndexingGuard[]
}

/**
 * Pauses indexing while memory or processor time is short, and resumes it if it is still wanted. Recording is worth more
 * than indexing: what is not indexed now can be indexed later.
 */
export class IndexingLimits {
  readonly #options: IndexingLimitsOptions
  readonly #guards: readonly IndexingGuard[]
  #isWanted = false

  constructor(options: IndexingLimitsOptions) {
    this.#options = options
    this.#guards = options.guards ?? [new MemoryGuard(), new CpuGuard()]
  }

  /** Why indexing is paused; undefined: it may run. */
  get reason(): string | undefined {
    return this.#pausing?.reason
  }

  /** The hub asked for `enabled`. False: a limit is reached, so indexing begins at a later check. */
  allows(enabled: boolean): boolean {
    this.#isWanted = enabled
    return !enabled || this.#pausing === undefined
  }

  /** A failed switch is logged: the next check tries again. */
  async check(): Promise<void> {
    const { isIndexing, switchIndexing, log } = this.#options
    const now = performance.now()
    for (const guard of this.#guards) guard.mayIndex(now)
    const pausing = this.#pausing
    try {
      if (pausing !== undefined && isIndexing()) {
        log.warn(pausing.reason)
        await switchIndexing(false, pausing.code)
      } else if (pausing === undefined && this.#isWanted && !isIndexing()) {
        log.info('Indexing resumes: the worker is below its limits again')
        await switchIndexing(true)
      }
    } catch (error) {
      log.warn({ err: error }, 'Pausing or resuming indexing failed')
    }
  }

  get #pausing(): IndexingGuard | undefined {
    return this.#guards.find(({ reason }) => reason !== undefined)
  }
}
