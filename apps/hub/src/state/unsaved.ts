import type { Log } from '../log.ts'

export interface UnsavedFile {
  readonly what: string
  /** Why the last write failed. */
  readonly reason: string
}

/**
 * What the hub could not write of the files that say what is missing from answers: after a restart, answers would not know of it.
 * THE place that reports them; `/readyz` reads it.
 */
export class Unsaved {
  readonly #log: Log
  readonly #failures = new Map<string, string>()

  constructor(log: Log) {
    this.#log = log
  }

  get all(): readonly UnsavedFile[] {
    return [...this.#failures].map(([what, reason]) => ({ what, reason }))
  }

  /** Does not throw. A failure is logged once for each reason, and is reported until the same is written. */
  async write(what: string, write: () => Promise<void>): Promise<void> {
    try {
      await write()
      this.#failures.delete(what)
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      if (this.#failures.get(what) !== reason) this.#log.error({ err: error }, `cannot save the ${what}`)
      this.#failures.set(what, reason)
    }
  }

  has(what: string): boolean {
    return this.#failures.has(what)
  }

  /** It was deleted. */
  forget(what: string): void {
    this.#failures.delete(what)
  }
}
