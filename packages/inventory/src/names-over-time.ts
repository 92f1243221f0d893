import type { Names } from './names.ts'

/** Names from a time on, in milliseconds, until the next begins. */
interface NamesFrom {
  readonly from: number
  readonly names: Names
}

/** The names of one address and port over time. Checks the last result first, because times come close together. */
export class NamesOverTime {
  readonly #spans: readonly NamesFrom[]
  #names: Names
  #from = Number.POSITIVE_INFINITY
  #until = Number.POSITIVE_INFINITY

  /** In order; the first from the beginning of time. */
  constructor(spans: readonly NamesFrom[]) {
    this.#spans = spans
    this.#names = spans[0]!.names
  }

  at(timeMs: number): Names {
    if (timeMs < this.#from || timeMs >= this.#until) this.#search(timeMs)
    return this.#names
  }

  /** Apart from `at`, where the function that looks for the next would be given memory for each time, asked or not. */
  #search(timeMs: number): void {
    const next = this.#spans.findIndex(({ from }) => from > timeMs)
    const span = this.#spans.at(next === -1 ? -1 : next - 1)!
    this.#from = span.from
    this.#until = next === -1 ? Number.POSITIVE_INFINITY : this.#spans[next]!.from
    this.#names = span.names
  }
}
