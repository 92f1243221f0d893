import type { TcpMetrics } from '../flow.ts'

const PAGE = 10
const MASK = (1 << PAGE) - 1
/** Rows of flows that are over in a page: it lives as long as the last of these flows. */
const KEPT = 64

/** What is counted of an end: doubles at the beginning of its part of a row. */
export const PACKETS = 0
export const BYTES = 1
export const GOODPUT = 2
export const MISSING = 3
export const END_COUNTS = 4

/** What is known of every flow: the first doubles behind its two ends. When its last packet came, when its first did, its id. */
export const LAST = 0
export const START = 1
export const ID = 2
export const FLOW_COUNTS = 3

/** Where rows are to stand. */
type RowMemory = DataView<ArrayBuffer>
/** Memory for `count` rows of `bytes` each, from the `first` on, if there is any. */
export type RowMemories = (first: number, count: number, bytes: number) => RowMemory | undefined

/** Rows side by side. Their memory is seen as doubles and as integers, two of these a double. */
export class NumberPage {
  readonly doubles: Float64Array<ArrayBuffer>
  readonly ints: Int32Array<ArrayBuffer>
  /** Doubles that an end takes. */
  readonly end: number

  constructor(rows: number, end: number, both: number, memory?: RowMemory) {
    const doubles = (2 * end + both) * rows
    const { buffer, byteOffset } = memory ?? { buffer: new ArrayBuffer(doubles * 8), byteOffset: 0 }
    this.doubles = new Float64Array(buffer, byteOffset, doubles)
    this.ints = new Int32Array(buffer, byteOffset, doubles * 2)
    this.end = end
  }
}

/** Copies what was measured of a TCP connection out of its row, into the same as before where there is one. */
export type Measure = (page: NumberPage, at: number, into: TcpMetrics | undefined) => TcpMetrics

/**
 * The numbers of the flows that are followed, a row each: of the low end of its key, of the high end, and of both. In
 * objects they would take three times the room (a double that changes has an object of its own), and the collector would
 * visit all of them again and again. Rows stand in pages, so that more of them need no copy of those that are there. A row
 * is used again as soon as its flow is over; what may still be asked of that flow goes to a page that is never used again.
 */
export class NumberRows {
  /** Doubles that an end takes. */
  readonly end: number
  /** Where rows hold what is measured of TCP. */
  readonly measure: Measure | undefined
  /** Where the row that was kept last begins in its page. */
  keptAt = 0
  readonly #both: number
  readonly #width: number
  #pages: NumberPage[] = []
  #free: number[] = []
  #memories: RowMemories | undefined
  #used = 0
  #kept: NumberPage | undefined
  #keptRows = KEPT

  constructor(end = END_COUNTS, both = FLOW_COUNTS, measure?: Measure) {
    this.end = end
    this.measure = measure
    this.#both = both
    this.#width = 2 * end + both
  }

  /** A row of zeros. */
  take(): number {
    const row = this.#free.pop() ?? this.#more()
    const { doubles } = this.page(row)
    const start = this.at(row)
    const stop = start + this.#width
    for (let at = start; at < stop; at++) doubles[at] = 0
    return row
  }

  /** There are no rows now: those to come stand in this memory, as far as it goes; or in their own. */
  settle(memories: RowMemories | undefined): void {
    this.#memories = memories
    this.#pages = []
    this.#free = []
    this.#used = 0
  }

  /** Leaves the row to another. Returns the page that has what is counted of its ends and all of both from then on, at `keptAt`. */
  keep(row: number): NumberPage {
    let kept = this.#kept
    if (kept === undefined || this.#keptRows === KEPT) {
      kept = new NumberPage(KEPT, END_COUNTS, this.#both)
      this.#kept = kept
      this.#keptRows = 0
    }
    const { doubles } = this.page(row)
    const from = this.at(row)
    const into = kept.doubles
    const to = this.#keptRows++ * (2 * END_COUNTS + this.#both)
    for (let i = 0; i < END_COUNTS; i++) {
      into[to + i] = doubles[from + i]
      into[to + END_COUNTS + i] = doubles[from + this.end + i]
    }
    for (let i = 0; i < this.#both; i++) into[to + 2 * END_COUNTS + i] = doubles[from + 2 * this.end + i]
    this.keptAt = to
    this.#free.push(row)
    return kept
  }

  #more(): number {
    const row = this.#used++
    if ((row & MASK) === 0) {
      const count = 1 << PAGE
      const memory = this.#memories?.(row, count, this.#width * 8)
      this.#pages.push(new NumberPage(count, this.end, this.#both, memory))
    }
    return row
  }

  page(row: number): NumberPage {
    return this.#pages[row >> PAGE]
  }

  /** The page of a row as integers, and as doubles. */
  ints(row: number): Int32Array<ArrayBuffer> {
    return this.#pages[row >> PAGE].ints
  }

  doubles(row: number): Float64Array<ArrayBuffer> {
    return this.#pages[row >> PAGE].doubles
  }

  /** The first double of a row in its page. */
  at(row: number): number {
    return (row & MASK) * this.#width
  }
}
