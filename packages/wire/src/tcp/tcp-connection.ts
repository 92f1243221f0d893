import type { Side, TcpMetrics } from '../flow.ts'
import { type FlowCounterPage, FlowCounterTable, LAST, PACKETS, START } from '../flows/flow-counter-table.ts'
import type { FlowRecord } from '../flows/flow-record.ts'
import { TcpCounters } from './tcp-counters.ts'
import {
  ACKED,
  ACKED_TO,
  CONNECTION_WORDS,
  END,
  END_WORDS,
  FAST_PATH,
  FIN_AT,
  FIN_HIGH,
  FIN_LOW,
  FIN_SEEN,
  FINS,
  HANDSHAKING,
  HOLDS,
  INDEX,
  INITIAL,
  INITIAL_HIGH,
  INITIAL_LOW,
  JITTER,
  KNOWN,
  LAST_RTT,
  MAX,
  MAX_TIME,
  NEXT,
  NO_SCALE,
  RESENT,
  RESET_BY_HIGH,
  RESET_BY_LOW,
  RESET_HIGH,
  RESET_LOW,
  RESETS,
  RTT_MAX,
  RTT_MIN,
  RTT_SAMPLES,
  RTT_SUM,
  SCALE,
  SHIFT,
  STATE,
  SYN_BY_HIGH,
  SYN_BY_LOW,
  SYN_SEEN,
  UNACKED_HIGH,
  UNACKED_LOW,
  ZERO_WINDOW,
  ZERO_WINDOW_HIGH,
  ZERO_WINDOW_LOW,
} from './tcp-row.ts'

const HIGH = 2 * END_WORDS
const BOTH = 4 * END_WORDS
/** Milliseconds, three weeks: it fits an integer of the row. */
const MAX_AFTER = 0x7fff_fff0

/**
 * A cursor over the rows of TCP connections: `select` moves it. An end is the index where its part of the row begins.
 * Code reads and writes `ints[from + NEXT]` directly: with accessors, which the compiler does not all inline, a packet
 * took half as long again.
 */
export class TcpConnection {
  readonly rows = new FlowCounterTable(END_WORDS, CONNECTION_WORDS, measure)
  readonly #flows: (FlowRecord | undefined)[] = []
  row = -1
  ints = new Int32Array(0)
  doubles = new Float64Array(0)
  /** Its ends, and what both share. */
  low = 0
  high = 0
  both = 0

  select(row: number): void {
    const { rows } = this
    const at = rows.at(row) << 1
    const ints = rows.ints(row)
    this.row = row
    // Skip redundant stores: each costs a GC write barrier.
    if (this.ints !== ints) {
      this.ints = ints
      this.doubles = rows.doubles(row)
    }
    this.low = at
    this.high = at + HIGH
    this.both = at + BOTH
  }

  /** Selects the row of a new flow. */
  open(flow: FlowRecord, handshaking: boolean): void {
    this.#flows[flow.row] = flow
    this.select(flow.row)
    const { ints, low, high } = this
    ints[low + SCALE] = NO_SCALE
    ints[low + SHIFT] = NO_SCALE
    ints[high + SCALE] = NO_SCALE
    ints[high + SHIFT] = NO_SCALE
    if (handshaking) ints[this.both + STATE] = HANDSHAKING
  }

  /** Since when bytes of an end are not acknowledged; 0: no such bytes are known. */
  unacked(end: number): number {
    return this.doubles[(this.both >> 1) + (end === this.low ? UNACKED_LOW : UNACKED_HIGH)]
  }

  setUnacked(end: number, since: number): void {
    this.doubles[(this.both >> 1) + (end === this.low ? UNACKED_LOW : UNACKED_HIGH)] = since
    if (since === 0) this.ints[end + END] &= ~RESENT
    else this.ints[end + END] |= RESENT
  }

  /** Copies the initial sequence numbers to the part of the row that is kept when the connection is over. */
  keepInitials(): void {
    const { ints, low, high, both } = this
    ints[both + INITIAL_LOW] = ints[low + INITIAL]
    ints[both + INITIAL_HIGH] = ints[high + INITIAL]
    if (ints[low + END] & SYN_SEEN) ints[both + STATE] |= SYN_BY_LOW
    if (ints[high + END] & SYN_SEEN) ints[both + STATE] |= SYN_BY_HIGH
  }

  /** Frees the row and returns its flow. */
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

  /** A number of the end that stays valid after the next `select`. */
  numberOf(end: number): number {
    return end === this.low ? this.row * 2 : this.row * 2 + 1
  }

  /** Its index in the flow table. */
  get index(): number {
    return this.ints[this.both + INDEX]
  }

  /** The time of its last packet. */
  get last(): number {
    return this.doubles[(this.both >> 1) + LAST]
  }

  /** Packets of both directions. */
  get packets(): number {
    return this.doubles[(this.low >> 1) + PACKETS] + this.doubles[(this.high >> 1) + PACKETS]
  }

  /** Increments a counter. */
  count(counter: number): void {
    this.ints[this.both + counter]++
  }

  /** An end accepts no more data. */
  zeroWindow(end: number, time: number): void {
    const { ints, doubles, both } = this
    ints[both + ZERO_WINDOW]++
    const first = both + (end === this.low ? ZERO_WINDOW_LOW : ZERO_WINDOW_HIGH)
    if (ints[first] !== 0) return
    const after = Math.floor((time - doubles[(both >> 1) + START]) / 1000)
    ints[first] = Math.min(Math.max(after, 0), MAX_AFTER) + 1
  }

  fin(end: number, time: number): void {
    this.ints[this.both + FINS]++
    this.#noteFirst(end === this.low ? FIN_LOW : FIN_HIGH, time)
  }

  reset(end: number, time: number): void {
    this.ints[this.both + RESETS]++
    this.#noteFirst(end === this.low ? RESET_LOW : RESET_HIGH, time)
  }

  #noteFirst(what: number, time: number): void {
    const at = (this.both >> 1) + what
    if (this.doubles[at] === 0) this.doubles[at] = time
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

  /** Decides whether the next segment of an end may take the fast path. */
  updateFastPath(end: number, peer: number): void {
    const { ints } = this
    const isOdd = this.is(HANDSHAKING) || ((ints[end + END] | ints[peer + END]) & FIN_SEEN) !== 0
    // Held bytes of the other end may wait for this segment.
    const isWaitedFor = (ints[peer + END] & HOLDS) !== 0
    if (isOdd || isWaitedFor || ints[end + NEXT] !== ints[end + MAX]) ints[end + END] &= ~FAST_PATH
    else ints[end + END] |= FAST_PATH
  }

  /** The stream of an end begins at `seq`, if it has not begun before. */
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

function measure(page: FlowCounterPage, at: number, lowSide: Side, into: TcpMetrics | undefined): TcpMetrics {
  const counters = into instanceof TcpCounters ? into : new TcpCounters()
  counters.read(page.ints, page.doubles, (at + 2 * page.end) << 1, lowSide)
  return counters
}
