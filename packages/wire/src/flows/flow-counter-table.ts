import type { Side, TcpMetrics } from '../flow.ts'

const PAGE = 10
const MASK = (1 << PAGE) - 1
/** Closed flows that share a page. The page lives as long as one of them. */
const KEPT = 64

/** Counters of an end: the first doubles of its part of a row. */
export const PACKETS = 0
export const BYTES = 1
export const GOODPUT = 2
export const MISSING = 3
export const END_COUNTS = 4
/** Of an end of a flow without connections: tells its last packet from others; 0 where that has no identification. */
export const MARK = END_COUNTS + 1

/** Of every flow, the first doubles after its two ends: time of its last packet, time of its first packet, id. */
export const LAST = 0
export const START = 1
export const ID = 2
export const FLOW_COUNTS = 3

/** A page of rows. The same memory as doubles and as integers, two integers a double. */
export class FlowCounterPage {
  readonly doubles: Float64Array<ArrayBuffer>
  readonly ints: Int32Array<ArrayBuffer>
  /** Doubles that an end takes. */
  readonly end: number

  constructor(rows: number, end: number, both: number) {
    this.doubles = new Float64Array((2 * end + both) * rows)
    this.ints = new Int32Array(this.doubles.buffer)
    this.end = end
  }
}

/** Copies the TCP measurements out of a row, into the object of the last time if there is one. */
export type Measure = (
  page: FlowCounterPage,
  at: number,
  lowSide: Side,
  into: TcpMetrics | undefined,
) => TcpMetrics

/**
 * The counters of all open flows, a row each: of the low end of the key, of the high end, and of both. As objects they
 * would take three times the memory (V8 boxes each mutable double), and the garbage collector would visit them. Pages
 * let the table grow without copying. A row is reused when its flow closes; the counters of the closed flow move to a
 * page that is never reused.
 */
export class FlowCounterTable {
  /** Doubles that an end takes. */
  readonly end: number
  /** Set if rows contain TCP measurements. */
  readonly measure: Measure | undefined
  /** Where the last kept row begins in its page. */
  keptAt = 0
  readonly #both: number
  readonly #width: number
  readonly #pages: FlowCounterPage[] = []
  readonly #free: number[] = []
  #used = 0
  #kept: FlowCounterPage | undefined
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

  /** Frees the row. Returns the page that has its counters from now on, at `keptAt`. */
  keep(row: number): FlowCounterPage {
    let kept = this.#kept
    if (kept === undefined || this.#keptRows === KEPT) {
      kept = new FlowCounterPage(KEPT, END_COUNTS, this.#both)
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
    if ((row & MASK) === 0) this.#pages.push(new FlowCounterPage(1 << PAGE, this.end, this.#both))
    return row
  }

  page(row: number): FlowCounterPage {
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
