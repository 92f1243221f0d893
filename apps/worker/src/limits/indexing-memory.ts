import type { Log } from '../log.ts'
import { MemoryGuard } from './memory-guard.ts'

export interface IndexingMemoryOptions {
  readonly isIndexing: () => boolean
  readonly switchIndexing: (enabled: boolean) => Promise<void>
  readonly log: Log
  readonly guard?: MemoryGuard
}

/**
 * Pauses indexing while memory is short, and resumes it if it is still wanted. Recording is worth more than indexing: what
 * is not indexed now can be indexed later.
 */
export class IndexingMemory {
  readonly #options: IndexingMemoryOptions
  readonly #guard: MemoryGuard
  #isWanted = false

  constructor(options: IndexingMemoryOptions) {
    this.#options = options
    this.#guard = options.guard ?? new MemoryGuard()
  }

  /** Why indexing is paused; undefined: it may run. */
  get reason(): string | undefined {
    return this.#guard.reason
  }

  /** The hub asked for `enabled`. False: memory is short, so indexing begins at a later check. */
  allows(enabled: boolean): boolean {
    this.#isWanted = enabled
    return !enabled || this.reason === undefined
  }

  /** A failed switch is logged: the next check tries again. */
  async check(): Promise<void> {
    const { isIndexing, switchIndexing, log } = this.#options
    const mayIndex = this.#guard.mayIndex(performance.now())
    try {
      if (!mayIndex && isIndexing()) {
        log.warn(this.reason ?? '')
        await switchIndexing(false)
      } else if (mayIndex && this.#isWanted && !isIndexing()) {
        log.info('Indexing resumes: there is memory again')
        await switchIndexing(true)
      }
    } catch (error) {
      log.warn({ err: error }, 'Pausing or resuming indexing failed')
    }
  }
}
