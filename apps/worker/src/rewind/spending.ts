import type { Budget } from './rewind-message.ts'

/** What one answer has cost so far, against what it may. The first piece of work is always brought to its end. */
export class Spending {
  /** The budget did not suffice. */
  ended = false
  readonly #budget: Budget
  readonly #now: () => number
  readonly #begun: number
  #bytes = 0
  #packets = 0
  #calls = 0
  #finished = 0
  readonly #protocols: Record<string, number> = {}

  constructor(budget: Budget, now: () => number) {
    this.#budget = budget
    this.#now = now
    this.#begun = now()
  }

  /** Whether so many bytes more may be read. */
  allows(bytes: number): boolean {
    if (this.#finished === 0) return true
    const { time, bytes: most } = this.#budget
    this.ended ||= this.#bytes + bytes > most || this.#now() - this.#begun > time
    return !this.ended
  }

  /** Counts; false where the work is to be left. */
  spend(bytes: number, packets: number): boolean {
    this.#bytes += bytes
    this.#packets += packets
    return this.allows(0)
  }

  /** A piece of work is done, and found calls of these protocols. */
  finish(protocols: readonly string[]): void {
    this.#finished++
    this.#calls += protocols.length
    for (const protocol of protocols) this.#protocols[protocol] = (this.#protocols[protocol] ?? 0) + 1
  }

  get report() {
    return {
      read_bytes: this.#bytes,
      packets: this.#packets,
      calls: this.#calls,
      by_protocol: this.#protocols,
      elapsed_ms: Math.round(this.#now() - this.#begun),
    }
  }
}
