import type { TcpMetrics } from '../flow.ts'

const PAGE = 10
const MASK = (1 << PAGE) - 1

/** What is counted of an end: doubles at the beginning of its part of a row. */
export const PACKETS = 0
export const BYTES = 1
export const GOODPUT = 2
export const MISSING = 3
export const END_COUNTS = 4

/** When the last packet of a flow came: the first double behind its two ends. */
export const LAST = 0

/** Copies what was measured of a TCP connection out of its row, into the same as before where there is one. */
export type Measure = (row: number, into: TcpMetrics | undefined) => TcpMetrics

/**
 * The numbers of the flows that are followed, a row each: of the low end of its key, of the high end, and of both. In
 * objects they would take three times the room (a double that changes has an object of its own), and the collector would
 * visit all of them again and again. Rows stand in pages, so that more of them need no copy of those that are there. A row
 * is used again as soon as its flow is over. Its memory is seen as doubles and as integers, two of these a double.
 */
export class NumberRows {
  /** Doubles that an end takes. */
  readonly end: number
  /** Where rows hold what is measured of TCP. */
  measure: Measure | undefined
  readonly #width: number
  readonly #ints: Int32Array<ArrayBuffer>[] = []
  readonly #doubles: Float64Array<ArrayBuffer>[] = []
  readonly #free: number[] = []
  #used = 0

  constructor(end = END_COUNTS, both = 1) {
    this.end = end
    this.#width = 2 * end + both
  }

  /** A row of zeros. */
  take(): number {
    const row = this.#free.pop()
    if (row !== undefined) {
      const doubles = this.doubles(row)
      const start = this.at(row)
      const stop = start + this.#width
      for (let at = start; at < stop; at++) doubles[at] = 0
      return row
    }
    if ((this.#used & MASK) === 0) {
      const memory = new ArrayBuffer((this.#width * 8) << PAGE)
      this.#ints.push(new Int32Array(memory))
      this.#doubles.push(new Float64Array(memory))
    }
    return this.#used++
  }

  free(row: number): void {
    this.#free.push(row)
  }

  /** The page of a row as integers, and as doubles. */
  ints(row: number): Int32Array<ArrayBuffer> {
    return this.#ints[row >> PAGE]
  }

  doubles(row: number): Float64Array<ArrayBuffer> {
    return this.#doubles[row >> PAGE]
  }

  /** The first double of a row in its page. */
  at(row: number): number {
    return (row & MASK) * this.#width
  }
}
