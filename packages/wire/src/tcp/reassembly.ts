import type { ByteBudget } from '../byte-budget.ts'
import { GOODPUT, MISSING } from '../flows/number-rows.ts'
import type { Loss } from '../loss.ts'
import { type Piece, PieceList } from '../piece-list.ts'
import type { StreamHandler } from '../stream-handler.ts'
import type { StreamLimits } from '../stream-limits.ts'
import { isAhead, MAX_AHEAD } from './is-ahead.ts'
import type { TcpConnection } from './tcp-connection.ts'
import {
  ACKED,
  ACKED_TO,
  ANSWERED,
  CALM,
  DRAINED,
  END,
  FIN_AT,
  FIN_SEEN,
  FINISHED,
  FIRST_BYTE,
  FIRST_DATA,
  HOLDS,
  MAX_TIME,
  NEXT,
  OVERLAP_CONFLICTS,
  STATE,
  VAIN,
} from './tcp-row.ts'
import type { TcpSegment } from './tcp-segment.ts'

/** The time at which nothing is waited for any more. */
const NEVER_MORE = Number.POSITIVE_INFINITY

/**
 * Hands the bytes of connections on in order: at once where they come in order, after a bounded wait where not. In order
 * means, too, that what a segment acknowledges goes before it: a request is told before its response.
 */
export class Reassembly {
  readonly #handler: StreamHandler
  readonly #loss: Loss
  readonly #budget: ByteBudget
  readonly #limits: StreamLimits
  /** Rows of connections that wait for bytes, and what is held until those come, by the number of its end. */
  readonly #waiting = new Set<number>()
  readonly #held = new Map<number, PieceList>()

  constructor(handler: StreamHandler, loss: Loss, budget: ByteBudget, limits: StreamLimits) {
    this.#handler = handler
    this.#loss = loss
    this.#budget = budget
    this.#limits = limits
  }

  /** The next `length` bytes of a sender, of which `data[start, end)` was captured. */
  deliver(
    connection: TcpConnection,
    from: number,
    length: number,
    data: Uint8Array,
    start: number,
    end: number,
    time: number,
  ): void {
    const captured = end - start
    if (captured > 0) {
      const { flow } = connection
      connection.doubles[(from >> 1) + GOODPUT] += captured
      if ((connection.ints[connection.both + STATE] & ANSWERED) === 0) timeFirstByte(connection, from, time)
      this.#handler.data(flow, flow.side(from !== connection.low), data, start, end, time)
    }
    if (captured < length) this.#gap(connection, from, length - captured, time, true)
  }

  /** The payload of a segment, at any place. */
  take(connection: TcpConnection, from: number, to: number, segment: TcpSegment): void {
    const { ints, doubles } = connection
    const { first: seq, length, data, body: start, end, time } = segment
    const ack = segment.acknowledges ? segment.ack : ints[to + NEXT]
    const old = (ints[from + NEXT] - seq) | 0
    if (old >= length) return
    if (ints[from + END] & FIN_SEEN && ((seq - ints[from + FIN_AT]) | 0) >= 0) return
    const stop = (seq + length) | 0
    const head = this.#pieces(connection, from)?.head
    const isNext = old >= 0 && (head === undefined || ((stop - head.seq) | 0) <= 0)
    if (isNext && !isAhead(ints, to, ack)) {
      ints[from + NEXT] = stop
      ints[from + END] &= ~VAIN
      doubles[(from >> 1) + DRAINED] = time
      const at = Math.min(start + old, end)
      this.deliver(connection, from, length - old, data, at, end, time)
      return
    }
    if (isForeign(connection, to, seq, old)) {
      this.#loss.malformed_packets = (this.#loss.malformed_packets ?? 0) + 1
      return
    }
    const pieces = this.#pieces(connection, from) ?? this.#hold(connection, from, to)
    const before = pieces.cost
    const skip = Math.max(0, old)
    const at = Math.min(start + skip, end)
    const { packets } = connection
    if (pieces.insert((seq + skip) | 0, length - skip, data, at, end, time, ack, packets))
      connection.count(OVERLAP_CONFLICTS)
    this.#budget.book(pieces.cost - before)
  }

  /** Hands on what can be, gives up what will not come, and tells the end of a sender that is reached. */
  settle(connection: TcpConnection, from: number, time: number): void {
    const { ints } = connection
    const to = connection.peer(from)
    if ((ints[from + END] | ints[to + END]) & HOLDS) this.#handOn(connection, from, to, time)
    if (((ints[from + END] | ints[to + END]) & FIN_SEEN) === 0) return
    // The end of one may be what that of the other waits for.
    if (this.#end(connection, to, from, time)) this.#end(connection, from, to, time)
    else if (this.#end(connection, from, to, time)) this.#end(connection, to, from, time)
  }

  /** The connection ends: hands on all that is held, whatever is missing between. */
  flush(connection: TcpConnection): void {
    const { ints, low, high } = connection
    if ((ints[low + END] | ints[high + END]) & HOLDS) this.#handOn(connection, low, high, NEVER_MORE)
    for (const end of [low, high]) {
      const peer = connection.peer(end)
      const ack = ints[peer + ACKED_TO]
      if (ints[peer + END] & ACKED && isAhead(ints, end, ack)) this.#giveUp(connection, end, ack)
    }
    for (const from of [low, high])
      if ((ints[from + END] & (FIN_SEEN | FINISHED)) === FIN_SEEN)
        this.#finish(connection, from, connection.last)
    this.#waiting.delete(connection.row)
  }

  /** Gives up holes that have been waited for too long at `now`. */
  sweep(connection: TcpConnection, now: number): void {
    for (const row of this.#waiting) {
      connection.seat(row)
      this.settle(connection, connection.low, now)
    }
  }

  #handOn(connection: TcpConnection, from: number, to: number, time: number): void {
    for (;;)
      if (!this.#drain(connection, from, to) && !this.#drain(connection, to, from))
        if (!this.#yield(connection, from, to, time) && !this.#yield(connection, to, from, time)) return
  }

  /** Gives up what the first of what is held waits for, where that was long enough. */
  #yield(connection: TcpConnection, from: number, to: number, time: number): boolean {
    const { ints } = connection
    const pieces = this.#pieces(connection, from)
    const head = pieces?.head
    if (pieces === undefined || head === undefined) return false
    const hasHole = ((head.seq - ints[from + NEXT]) | 0) > 0
    // What was received before it was sent goes first, unless that waits for the same hole.
    const lacking = !hasHole || (isAhead(ints, to, head.ack) && !this.#isThere(connection, to)) ? to : from
    const isSent = lacking === to || hasAcked(ints, to, head.seq)
    if (!(isSent ? this.#isLate(connection, lacking, head, time) : time - head.time > this.#limits.gapWait)) {
      if (pieces.cost <= this.#limits.heldPerSide && !this.#budget.exhausted) return false
      this.#loss.reassembly_overflow = (this.#loss.reassembly_overflow ?? 0) + 1
    }
    this.#giveUp(connection, lacking, head.ack)
    return true
  }

  /** Whether the next bytes of an end, which the other has received, will not come with the packets after that piece. */
  #isLate(
    connection: TcpConnection,
    lacking: number,
    { time: since, packets }: Piece,
    time: number,
  ): boolean {
    if (connection.ints[lacking + END] & VAIN) return true
    const { lateWait, latePackets } = this.#limits
    return time - since > lateWait || connection.packets - packets >= latePackets
  }

  /** Whether the end of a sender could be told. */
  #end(connection: TcpConnection, from: number, to: number, time: number): boolean {
    const { ints, doubles } = connection
    if ((ints[from + END] & (FIN_SEEN | FINISHED | HOLDS)) !== FIN_SEEN) return false
    const isReached = ints[from + NEXT] === ints[from + FIN_AT]
    if (!isReached && !hasAcked(ints, to, (ints[from + FIN_AT] + 1) | 0)) return false
    const isEarly = (ints[from + END] & ACKED) !== 0 && isAhead(ints, to, ints[from + ACKED_TO])
    const isLate = time - doubles[(from >> 1) + MAX_TIME] > this.#limits.lateWait
    if ((!isReached || isEarly) && !isLate) {
      this.#waiting.add(connection.row)
      return false
    }
    if (isEarly) this.#giveUp(connection, to, ints[from + ACKED_TO])
    this.#finish(connection, from, time)
    return true
  }

  #pieces(connection: TcpConnection, from: number): PieceList | undefined {
    return connection.ints[from + END] & HOLDS ? this.#held.get(connection.numberOf(from)) : undefined
  }

  /** Whether the next bytes of an end are held. */
  #isThere(connection: TcpConnection, from: number): boolean {
    const head = this.#pieces(connection, from)?.head
    return head !== undefined && ((head.seq - connection.ints[from + NEXT]) | 0) <= 0
  }

  #hold(connection: TcpConnection, from: number, to: number): PieceList {
    const pieces = new PieceList()
    const { ints } = connection
    ints[from + END] |= HOLDS
    // What comes from there may be what is waited for.
    ints[to + END] &= ~CALM
    this.#held.set(connection.numberOf(from), pieces)
    this.#waiting.add(connection.row)
    return pieces
  }

  #release(connection: TcpConnection, from: number): void {
    connection.ints[from + END] &= ~HOLDS
    this.#held.delete(connection.numberOf(from))
    if ((connection.ints[connection.peer(from) + END] & HOLDS) === 0) this.#waiting.delete(connection.row)
  }

  /** Hands the first piece on, if it is due. Bytes count as arrived when all before them had. */
  #drain(connection: TcpConnection, from: number, to: number): boolean {
    const { ints, doubles } = connection
    const pieces = this.#pieces(connection, from)
    const piece = pieces?.head
    if (pieces === undefined || piece === undefined) return false
    if (((piece.seq - ints[from + NEXT]) | 0) > 0 || isAhead(ints, to, piece.ack)) return false
    const before = pieces.cost
    pieces.shift()
    this.#budget.book(pieces.cost - before)
    if (pieces.head === undefined) this.#release(connection, from)
    const { bytes, length } = piece
    const old = (ints[from + NEXT] - piece.seq) | 0
    // Half the sequence space away, a piece is neither before nor behind.
    if (old < 0 || old >= length) return true
    ints[from + NEXT] = (piece.seq + length) | 0
    ints[from + END] &= ~VAIN
    const drained = Math.max(doubles[(from >> 1) + DRAINED], piece.time)
    doubles[(from >> 1) + DRAINED] = drained
    const start = Math.min(old, bytes.length)
    this.deliver(connection, from, length - old, bytes, start, bytes.length, drained)
    return true
  }

  /** The next bytes of an end will not come. Where nothing after them did, they are only not waited for any more. */
  #giveUp(connection: TcpConnection, end: number, ack: number): void {
    const { ints, doubles } = connection
    const head = this.#pieces(connection, end)?.head
    const known = head === undefined ? 0 : (head.seq - ints[end + NEXT]) | 0
    if (head === undefined || known <= 0) {
      ints[end + END] |= VAIN
      // A side that never said anything is not captured at all.
      if (doubles[(end >> 1) + FIRST_DATA] !== 0)
        this.#handler.unseen?.(connection.flow, connection.side(end), (ack - ints[end + NEXT]) | 0)
      return
    }
    // What the other end says next may stand between the lost segments.
    const peer = connection.peer(end)
    const next = this.#isThere(connection, peer) ? this.#pieces(connection, peer)?.head : undefined
    const heard =
      next !== undefined && isAhead(ints, end, next.ack) ? (next.ack - ints[end + NEXT]) | 0 : known
    const missing = Math.min(known, heard)
    ints[end + NEXT] += missing
    const drained = Math.max(doubles[(end >> 1) + DRAINED], head.time)
    doubles[(end >> 1) + DRAINED] = drained
    this.#gap(connection, end, missing, drained, false)
  }

  #gap(connection: TcpConnection, from: number, missing: number, time: number, cut: boolean): void {
    connection.doubles[(from >> 1) + MISSING] += missing
    this.#loss.gaps = (this.#loss.gaps ?? 0) + 1
    this.#loss.gap_bytes = (this.#loss.gap_bytes ?? 0) + missing
    this.#handler.gap(connection.flow, connection.side(from), missing, time, cut)
  }

  #finish(connection: TcpConnection, from: number, time: number): void {
    const { ints } = connection
    const missing = (ints[from + FIN_AT] - ints[from + NEXT]) | 0
    if (missing > 0) this.#gap(connection, from, missing, time, false)
    ints[from + END] |= FINISHED
    ints[from + NEXT] = ints[from + FIN_AT] + 1
    this.#handler.finish(connection.flow, connection.side(from), time)
  }
}

/** Whether that end has acknowledged all before `seq`. */
function hasAcked(ints: Int32Array, end: number, seq: number): boolean {
  return (ints[end + END] & ACKED) !== 0 && ((ints[end + ACKED_TO] - seq) | 0) >= 0
}

/** With the peer's acknowledgements in view, a segment far ahead of all of them is not of this stream. */
function isForeign({ ints }: TcpConnection, to: number, seq: number, old: number): boolean {
  return (ints[to + END] & ACKED) !== 0 && -old > MAX_AHEAD && ((seq - ints[to + ACKED_TO]) | 0) > MAX_AHEAD
}

/** The first payload of the server after the first of the client. */
function timeFirstByte(connection: TcpConnection, from: number, time: number): void {
  const { ints, doubles, both } = connection
  const first = (from >> 1) + FIRST_DATA
  if (doubles[first] === 0) doubles[first] = time
  if (connection.side(from) === 0) return
  const asked = doubles[(connection.peer(from) >> 1) + FIRST_DATA]
  if (asked === 0) return
  doubles[(both >> 1) + FIRST_BYTE] = Math.max(0, Math.round(time - asked))
  ints[both + STATE] |= ANSWERED
}
