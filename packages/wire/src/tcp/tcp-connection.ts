import type { Side, TcpMetrics } from '../flow.ts'
import type { FlowRecord } from '../flows/flow-record.ts'
import { LAST, type NumberPage, NumberRows, PACKETS } from '../flows/number-rows.ts'
import { TcpCounters } from './tcp-counters.ts'
import {
  ACKED,
  ACKED_TO,
  CALM,
  CONNECTION_WORDS,
  END,
  END_WORDS,
  FIN_AT,
  FIN_SEEN,
  HANDSHAKING,
  HOLDS,
  INDEX,
  JITTER,
  KNOWN,
  LAST_RTT,
  MAX,
  MAX_TIME,
  NEXT,
  NO_SCALE,
  RESET_BY_HIGH,
  RESET_BY_LOW,
  RTT_MAX,
  RTT_MIN,
  RTT_SAMPLES,
  RTT_SUM,
  SCALE,
  SHIFT,
  STATE,
} from './tcp-row.ts'

const HIGH = 2 * END_WORDS
const BOTH = 4 * END_WORDS

/**
 * A TCP flow while it is followed. There is one of these for all of them: it is seated at the row of the connection
 * that is looked at. An end is the number where its part of the row begins. Numbers are read and written where they stand,
 * `ints[from + NEXT]`: behind accessors, most of which the compiler then leaves as calls, a packet took half as long again.
 */
export class TcpConnection {
  readonly rows = new NumberRows(END_WORDS, CONNECTION_WORDS, measure)
  readonly #flows: (FlowRecord | undefined)[] = []
  row = -1
  ints = new Int32Array(0)
  doubles = new Float64Array(0)
  /** Its ends, and what both share. */
  low = 0
  high = 0
  both = 0

  seat(row: number): void {
    const { rows } = this
    const at = rows.at(row) << 1
    const ints = rows.ints(row)
    this.row = row
    // The collector is told of each pointer that is stored, the same or not.
    if (this.ints !== ints) {
      this.ints = ints
      this.doubles = rows.doubles(row)
    }
    this.low = at
    this.high = at + HIGH
    this.both = at + BOTH
  }

  /** Takes a seat at the row of a new flow. */
  open(flow: FlowRecord, handshaking: boolean): void {
    this.#flows[flow.row] = flow
    this.seat(flow.row)
    const { ints, low, high } = this
    ints[low + SCALE] = NO_SCALE
    ints[low + SHIFT] = NO_SCALE
    ints[high + SCALE] = NO_SCALE
    ints[high + SHIFT] = NO_SCALE
    if (handshaking) ints[this.both + STATE] = HANDSHAKING
  }

  /** The row will be that of another; returns whose it was. */
  leave(): FlowRecord {
    const { flow } = this
    this.#flows[this.row] = undefined
    return flow
  }

  get flow(): FlowRecord {
    return this.#flows[this.row]!
  }

  /** The side of an end. */
  side(end: number): Side {
    return this.flow.side(end !== this.low)
  }

  peer(end: number): number {
    return end === this.low ? this.high : this.low
  }

  /** The number of an end, whichever connection the cursor is seated at later. */
  numberOf(end: number): number {
    return end === this.low ? this.row * 2 : this.row * 2 + 1
  }

  /** Where it stands in the flow table. */
  get index(): number {
    return this.ints[this.both + INDEX]
  }

  /** When its last packet came. */
  get last(): number {
    return this.doubles[(this.both >> 1) + LAST]
  }

  /** How many there were. */
  get packets(): number {
    return this.doubles[(this.low >> 1) + PACKETS] + this.doubles[(this.high >> 1) + PACKETS]
  }

  /** One more of what is counted. */
  count(counter: number): void {
    this.ints[this.both + counter]++
  }

  is(state: number): boolean {
    return (this.ints[this.both + STATE] & state) !== 0
  }

  /** The bit for a reset by that end. */
  resetBy(end: number): number {
    return end === this.low ? RESET_BY_LOW : RESET_BY_HIGH
  }

  /** Whether both ends have acknowledged the FIN of the other. */
  get hasEnded(): boolean {
    return this.#finAcknowledged(this.low, this.high) && this.#finAcknowledged(this.high, this.low)
  }

  /** Looks whether the next segment of an end may be handed on without a second look. */
  calm(end: number, peer: number): void {
    const { ints } = this
    const isOdd = this.is(HANDSHAKING) || ((ints[end + END] | ints[peer + END]) & FIN_SEEN) !== 0
    // Where the other holds something, it may wait for what comes from here.
    const isWaitedFor = (ints[peer + END] & HOLDS) !== 0
    if (isOdd || isWaitedFor || ints[end + NEXT] !== ints[end + MAX]) ints[end + END] &= ~CALM
    else ints[end + END] |= CALM
  }

  /** The stream of an end is taken up at `seq`, where nothing was known of it before. */
  begin(end: number, seq: number, time: number): void {
    const { ints } = this
    if (ints[end + END] & KNOWN) return
    ints[end + END] |= KNOWN
    ints[end + NEXT] = seq
    ints[end + MAX] = seq
    this.doubles[(end >> 1) + MAX_TIME] = time
  }

  /** A segment was acknowledged after this long. */
  sample(elapsed: number): void {
    if (elapsed < 0) return
    const { doubles, both } = this
    const at = both >> 1
    const count = ++this.ints[both + RTT_SAMPLES]
    const whole = Math.round(elapsed)
    doubles[at + RTT_SUM] += elapsed
    if (count === 1 || whole < doubles[at + RTT_MIN]) doubles[at + RTT_MIN] = whole
    if (count === 1 || whole > doubles[at + RTT_MAX]) doubles[at + RTT_MAX] = whole
    // The smoothed mean difference of RFC 3550, section 6.4.1.
    if (count > 1)
      doubles[at + JITTER] += (Math.abs(elapsed - doubles[at + LAST_RTT]) - doubles[at + JITTER]) / 16
    doubles[at + LAST_RTT] = elapsed
  }

  #finAcknowledged(end: number, by: number): boolean {
    const { ints } = this
    return (ints[by + END] & ACKED) !== 0 && ((ints[by + ACKED_TO] - ints[end + FIN_AT]) | 0) > 0
  }
}

function measure(page: NumberPage, at: number, into: TcpMetrics | undefined): TcpMetrics {
  const counters = into instanceof TcpCounters ? into : new TcpCounters()
  counters.read(page.ints, page.doubles, (at + 2 * page.end) << 1)
  return counters
}
