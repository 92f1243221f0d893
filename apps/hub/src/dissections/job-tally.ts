import type { DissectionTask, ShareTally, Tally } from './dissection-task.ts'
import { sumTallies, tallyOfShares } from './sum-tallies.ts'

/** What the captures of a job have given so far, and which of them failed. */
export class JobTally {
  readonly #files: DissectionTask['files']
  readonly #tallies: (ShareTally | undefined)[]
  /** Bytes to be read of each. */
  readonly #totals: number[]
  readonly #failures = new Map<number, unknown>()

  constructor(files: DissectionTask['files']) {
    this.#files = files
    this.#tallies = files.map(() => undefined)
    this.#totals = files.map(({ size_bytes }) => size_bytes)
  }

  /** A filter limits the packets: fewer bytes are read than the file has. */
  expectBytes(at: number, bytes: number): void {
    this.#totals[at] = bytes
  }

  set(at: number, shares: readonly ShareTally[]): void {
    this.#tallies[at] = tallyOfShares(shares)
  }

  /** Counts the bytes of the file that were read, where only some of its packets were dissected. */
  setBytes(at: number, bytes: number): void {
    const tally = this.#tallies[at]
    if (tally) tally.bytes = bytes
  }

  fail(at: number, error: unknown): void {
    this.#failures.set(at, error)
    this.#tallies[at] = undefined
    this.#totals[at] = 0
  }

  get allFailed(): boolean {
    return this.#files.length > 0 && this.#failures.size === this.#files.length
  }

  /** Where no capture could be dissected, the job has failed. */
  throwIfAllFailed(): void {
    if (!this.allFailed) return
    if (this.#files.length === 1) throw this.#failures.get(0)
    throw new Error(`the captures of all nodes failed: ${this.sum().errors.join('; ')}`)
  }

  sum(): Tally {
    // In the order of the nodes, whichever failed first.
    const failures = [...this.#failures].sort(([a], [b]) => a - b)
    const errors = failures.map(([at, error]) => `${this.#files[at]!.node}: ${text(error)}`)
    return {
      ...sumTallies(this.#tallies, errors),
      totalBytes: this.#totals.reduce((sum, one) => sum + one, 0),
    }
  }
}

function text(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 200)
}
