import type { ByteBudget } from '../byte-budget.ts'
import { GOODPUT, MISSING } from '../flows/flow-counter-table.ts'
import type { Loss } from '../loss.ts'
import { viewOf } from '../memory-view.ts'
import { type Piece, PieceList } from '../piece-list.ts'
import type { StreamHandler } from '../stream-handler.ts'
import type { StreamLimits } from '../stream-limits.ts'
import { isAhead, MAX_AHEAD } from './is-ahead.ts'
import { contradictsDelivered, noteDelivered } from './recent-bytes.ts'
import type { TcpConnection } from './tcp-connection.ts'
import {
  ACKED,
  ACKED_TO,
  ACKED_UNSEEN,
  ANSWERED,
  DRAINED,
  END,
  FAST_PATH,
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
} from './tcp-row.ts'
import type { TcpSegment } from './tcp-segment.ts'

/** After this time nothing is waited for. */
const END_OF_TIME = Number.POSITIVE_INFINITY

/**
 * Delivers the bytes of connections in order: at once if they come in order, else after a bounded wait. A segment also
 * waits for the bytes that it acknowledges, so that a request is delivered before its response.
 */
export class Reassembly {
  readonly #handler: StreamHandler
  readonly #loss: Loss
  readonly #budget: ByteBudget
  readonly #limits: StreamLimits
  /** Rows of connections that wait for bytes, and the held bytes by the number of their end. */
  readonly #waiting = new Set<number>()
  readonly #held = new Map<number, PieceList>()

  constructor(handler: StreamHandler, loss: Loss, budget: ByteBudget, limits: StreamLimits) {
    this.#handler = handler
    this.#loss = loss
    this.#budget = budget
    this.#limits = limits
  }

  /** The next bytes of a sender. */
  deliver(
    connection: TcpConnection,
    from: number,
    data: Uint8Array,
    start: number,
    end: number,
    time: number,
  ): void {
    if (end <= start) return
    const { flow } = connection
    connection.doubles[(from >> 1) + GOODPUT] += end - start
    if ((connection.ints[connection.both + STATE] & ANSWERED) === 0) timeFirstByte(connection, from, time)
    this.#handler.data(flow, flow.side(from !== connection.low), data, start, end, time)
  }

  /** After `deliver`: `missing` more bytes were in the packet, and are not in the capture. */
  cut(connection: TcpConnection, from: number, missing: number, time: number): void {
    this.#gap(connection, from, missing, time, true)
  }

  /** The payload of a segment, at any sequence number. */
  take(connection: TcpConnection, from: number, to: number, segment: TcpSegment): void {
    const { ints, doubles } = connection
    const { first: seq, length, data, body: start, end, time } = segment
    const ack = segment.acknowledges ? segment.ack : ints[to + NEXT]
    const old = (ints[from + NEXT] - seq) | 0
    const isOther = old > 0 && contradictsDelivered(ints, from, seq, data, start, end)
    if (isOther) connection.count(OVERLAP_CONFLICTS)
    if (old >= length) return
    if (ints[from + END] & FIN_SEEN && ((seq - ints[from + FIN_AT]) | 0) >= 0) return
    const stop = (seq + length) | 0
    const head = this.#pieces(connection, from)?.head
    const isNext = old >= 0 && (head === undefined || ((stop - head.seq) | 0) <= 0)
    if (isNext && !isAhead(ints, to, ack)) {
      ints[from + NEXT] = stop
      ints[from + END] &= ~ACKED_UNSEEN
      doubles[(from >> 1) + DRAINED] = time
      const at = Math.min(start + old, end)
      noteDelivered(ints, from, (seq + old) | 0, viewOf(data), at, end)
      this.deliver(connection, from, data, at, end, time)
      if (length - old > end - at) this.cut(connection, from, length - old - (end - at), time)
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
    const bytes = { seq: (seq + skip) | 0, length: length - skip, data, start: at, end, time, ack, packets }
    if (pieces.insert(bytes) && !isOther) connection.count(OVERLAP_CONFLICTS)
    this.#budget.book(pieces.cost - before)
  }

  /** Whether all bytes of a segment came before, and are the same as far as that is known. */
  has(connection: TcpConnection, from: number, { first, length, data, body, end }: TcpSegment): boolean {
    const { ints } = connection
    // A keep-alive may have any byte.
    if (length > 1 && contradictsDelivered(ints, from, first, data, body, end)) return false
    const next = ints[from + NEXT]
    const stop = (first + length) | 0
    if (((stop - next) | 0) <= 0) return true
    return this.#pieces(connection, from)?.covers(((first - next) | 0) < 0 ? next : first, stop) ?? false
  }

  /** Delivers what it can, gives up bytes that are overdue, and reports the end of a direction. */
  settle(connection: TcpConnection, from: number, time: number): void {
    const { ints } = connection
    const to = connection.peer(from)
    if ((ints[from + END] | ints[to + END]) & HOLDS) this.#deliverHeld(connection, from, to, time)
    if (((ints[from + END] | ints[to + END]) & FIN_SEEN) === 0) return
    // The end of one direction may wait for the end of the other.
    if (this.#end(connection, to, from, time)) this.#end(connection, from, to, time)
    else if (this.#end(connection, from, to, time)) this.#end(connection, to, from, time)
  }

  /** The connection ends: delivers all held bytes, with gaps between them. */
  flush(connection: TcpConnection): void {
    const { ints, low, high } = connection
    if ((ints[low + END] | ints[high + END]) & HOLDS) this.#deliverHeld(connection, low, high, END_OF_TIME)
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

  /** Gives up gaps that have waited too long at `now`. */
  sweep(connection: TcpConnection, now: number): void {
    for (const row of this.#waiting) {
      connection.select(row)
      this.settle(connection, connection.low, now)
    }
  }

  #deliverHeld(connection: TcpConnection, from: number, to: number, time: number): void {
    for (;;)
      if (!this.#drain(connection, from, to) && !this.#drain(connection, to, from))
        if (!this.#yield(connection, from, to, time) && !this.#yield(connection, to, from, time)) return
  }

  /** Gives up the bytes that the first held piece waits for, if they are overdue. */
  #yield(connection: TcpConnection, from: number, to: number, time: number): boolean {
    const { ints } = connection
    const pieces = this.#pieces(connection, from)
    const head = pieces?.head
    if (pieces === undefined || head === undefined) return false
    const hasHole = ((head.seq - ints[from + NEXT]) | 0) > 0
    // Bytes that its sender had received go first, except if they wait for the same gap.
    const lacking = !hasHole || (isAhead(ints, to, head.ack) && !this.#isThere(connection, to)) ? to : from
    const isSent = lacking === to || hasAcked(ints, to, head.seq)
    if (!(isSent ? this.#isLate(connection, lacking, head, time) : time - head.time > this.#limits.gapWait)) {
      if (pieces.cost <= this.#limits.heldPerSide && !this.#budget.exhausted) return false
      this.#loss.reassembly_overflow = (this.#loss.reassembly_overflow ?? 0) + 1
    }
    this.#giveUp(connection, lacking, head.ack)
    return true
  }

  /** Whether bytes that the other end has acknowledged are overdue since `piece`. */
  #isLate(
    connection: TcpConnection,
    lacking: number,
    { time: since, packets }: Piece,
    time: number,
  ): boolean {
    if (connection.ints[lacking + END] & ACKED_UNSEEN) return true
    const { lateWait, latePackets } = this.#limits
    return time - since > lateWait || connection.packets - packets >= latePackets
  }

  /** Reports the end of a direction if it is reached. */
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
    // Its next segment may be the one that is waited for.
    ints[to + END] &= ~FAST_PATH
    this.#held.set(connection.numberOf(from), pieces)
    this.#waiting.add(connection.row)
    return pieces
  }

  #release(connection: TcpConnection, from: number): void {
    connection.ints[from + END] &= ~HOLDS
    this.#held.delete(connection.numberOf(from))
    if ((connection.ints[connection.peer(from) + END] & HOLDS) === 0) this.#waiting.delete(connection.row)
  }

  /** Delivers the first piece if it is next. Its time is not before that of the bytes before it. */
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
    // Half the sequence space away, a piece is neither before nor after.
    if (old < 0 || old >= length) return true
    ints[from + NEXT] = (piece.seq + length) | 0
    ints[from + END] &= ~ACKED_UNSEEN
    const drained = Math.max(doubles[(from >> 1) + DRAINED], piece.time)
    doubles[(from >> 1) + DRAINED] = drained
    const start = Math.min(old, bytes.length)
    noteDelivered(ints, from, (piece.seq + old) | 0, viewOf(bytes), start, bytes.length)
    this.deliver(connection, from, bytes, start, bytes.length, drained)
    const missing = length - old - (bytes.length - start)
    if (missing > 0) this.cut(connection, from, missing, drained)
    return true
  }

  /** The next bytes of an end will not come. Without later bytes, it only stops waiting for them. */
  #giveUp(connection: TcpConnection, end: number, ack: number): void {
    const { ints, doubles } = connection
    const head = this.#pieces(connection, end)?.head
    const known = head === undefined ? 0 : (head.seq - ints[end + NEXT]) | 0
    if (head === undefined || known <= 0) {
      ints[end + END] |= ACKED_UNSEEN
      // A side without any data is not captured at all.
      if (doubles[(end >> 1) + FIRST_DATA] !== 0)
        this.#handler.unseen?.(connection.flow, connection.side(end), (ack - ints[end + NEXT]) | 0)
      return
    }
    // The next piece of the other end may belong between the lost segments.
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

/** A segment far ahead of all acknowledgements of its peer does not belong to this stream. */
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
