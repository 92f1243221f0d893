import type { Budget } from './rewind-message.ts'

/** Compares the cost of a query with its budget. The first slice is always finished. */
export class BudgetMeter {
  /** The budget is exhausted. */
  exhausted = false
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

  /** Whether `bytes` more may be read. */
  allows(bytes: number): boolean {
    if (this.#finished === 0) return true
    const { time, bytes: maxBytes } = this.#budget
    this.exhausted ||= this.#bytes + bytes > maxBytes || this.#now() - this.#begun > time
    return !this.exhausted
  }

  /** Counts the cost. Returns false if the budget is exhausted. */
  spend(bytes: number, packets: number): boolean {
    this.#bytes += bytes
    this.#packets += packets
    return this.allows(0)
  }

  /** A slice is finished; it had calls of these protocols. */
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
