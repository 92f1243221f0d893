import { partsByThread, settledOrder } from './settled-order.ts'

interface Columns {
  readonly count: number
  /** Whoever they come from, in their order. */
  readonly thread: object
  readonly starts: Float64Array
  readonly flows: Float64Array
}

/**
 * Where the calls of many sheaves stand in order of time, then flow. Calls of one flow come from one thread, in their
 * order, so the order is the same however many threads there were.
 */
export class OrderedCalls {
  readonly length: number
  readonly #sheaves: Uint32Array
  readonly #rows: Uint32Array
  readonly #order: Uint32Array

  constructor(columns: readonly Columns[]) {
    const total = columns.reduce((sum, { count }) => sum + count, 0)
    const starts = new Float64Array(total)
    const flows = new Float64Array(total)
    this.length = total
    this.#sheaves = new Uint32Array(total)
    this.#rows = new Uint32Array(total)
    let at = 0
    const take = (one: Columns, sheaf: number) => {
      starts.set(one.starts, at)
      flows.set(one.flows, at)
      this.#sheaves.fill(sheaf, at, at + one.count)
      for (let row = 0; row < one.count; row++) this.#rows[at++] = row
      return at
    }
    const ends = partsByThread(columns, ({ thread }) => thread, take)
    this.#order = settledOrder(ends, (a, b) => starts[a]! - starts[b]! || flows[a]! - flows[b]!)
  }

  /** The sheaf, and the row in it, of the call at a place. */
  sheaf(place: number): number {
    return this.#sheaves[this.#order[place]!]!
  }

  row(place: number): number {
    return this.#rows[this.#order[place]!]!
  }
}
