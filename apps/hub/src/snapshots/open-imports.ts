/**
 * How long an import that said `more` may be without another file. Each file has a bound of its own while its bytes come
 * (30 seconds without any), so this is the time between two: a script that packs the next one may need minutes; who
 * comes no more must not keep a name and its room for ever.
 */
export const IDLE_MS = 10 * 60_000

/** Imports that more files may be added to, and since when each waits for them. */
export class OpenImports {
  readonly #now: () => number
  readonly #since = new Map<string, number>()

  constructor(now: () => number) {
    this.#now = now
  }

  has(name: string): boolean {
    return this.#since.has(name)
  }

  /** It waits for its next file, from now on. */
  add(name: string): void {
    this.#since.set(name, this.#now())
  }

  delete(name: string): void {
    this.#since.delete(name)
  }

  /** Those that have waited for too long. */
  idle(): string[] {
    const before = this.#now() - IDLE_MS
    return [...this.#since].filter(([, since]) => since < before).map(([name]) => name)
  }
}
