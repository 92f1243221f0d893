import type { ByteBudget } from '../byte-budget.ts'
import { GOODPUT, MISSING } from '../flows/number-rows.ts'
import type { Loss } from '../loss.ts'
import { type Piece, PieceList } from '../piece-list.ts'
import type { StreamHandler } from '../stream-handler.ts'
import type { StreamLimits } from '../stream-limits.ts'
import type { TcpConnection } from './tcp-connection.ts'
import {
  ACKED,
  ACKED_TO,
  ANSWERED,
  DRAINED,
  END,
  FIN_AT,
  FIN_SEEN,
  FINISHED,
  FIRST_BYTE,
  FIRST_DATA,
  HOLDS,
  NEXT,
  OVERLAP_CONFLICTS,
  STATE,
} from './tcp-row.ts'

/** Beyond what a peer acknowledged, no window reaches this far: such a segment belongs to something else. */
const MAX_AHEAD = 1 << 26

/** Hands the bytes of connections on in order: at once where they come in order, after a bounded wait where not. */
export class Reassembly {
  readonly #handler: StreamHandler
  readonly #loss: Loss
  readonly #budget: ByteBudget
  readonly #limits: StreamLimits
  /** Rows of connections with bytes behind a hole, and those bytes by `keyOf` their end. */
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

  /** `length` payload bytes at `seq`, at any place. */
  take(
    connection: TcpConnection,
    from: number,
    seq: number,
    length: number,
    data: Uint8Array,
    start: number,
    end: number,
    time: number,
  ): void {
    const { ints, doubles } = connection
    const old = (ints[from + NEXT] - seq) | 0
    if (old >= length) return
    if (ints[from + END] & FIN_SEEN && ((seq - ints[from + FIN_AT]) | 0) >= 0) return
    const stop = (seq + length) | 0
    const head = this.#pieces(connection, from)?.head
    if (old >= 0 && (head === undefined || ((stop - head.seq) | 0) <= 0)) {
      ints[from + NEXT] = stop
      doubles[(from >> 1) + DRAINED] = time
      const at = Math.min(start + old, end)
      this.deliver(connection, from, length - old, data, at, end, time)
      return
    }
    if (isForeign(connection, connection.peer(from), seq, old)) {
      this.#loss.malformed_packets = (this.#loss.malformed_packets ?? 0) + 1
      return
    }
    const pieces = this.#pieces(connection, from) ?? this.#hold(connection, from)
    const before = pieces.cost
    const skip = Math.max(0, old)
    if (pieces.insert((seq + skip) | 0, length - skip, data, Math.min(start + skip, end), end, time))
      connection.count(OVERLAP_CONFLICTS)
    this.#budget.book(pieces.cost - before)
  }

  /** Hands on what can be, gives up holes that will not be filled, and tells the end of a sender that is reached. */
  settle(connection: TcpConnection, from: number, time: number): void {
    const { ints } = connection
    const to = connection.peer(from)
    for (let pieces = this.#pieces(connection, from); pieces?.head; pieces = this.#pieces(connection, from)) {
      const { head } = pieces
      if (((head.seq - ints[from + NEXT]) | 0) <= 0) this.#drain(connection, from, pieces)
      else if (hasAcked(ints, to, head.seq)) this.#giveUp(connection, from, head)
      else if (time - head.time > this.#limits.gapWait) this.#giveUp(connection, from, head)
      else if (pieces.cost > this.#limits.heldPerSide || this.#budget.exhausted) {
        this.#loss.reassembly_overflow = (this.#loss.reassembly_overflow ?? 0) + 1
        this.#giveUp(connection, from, head)
      } else break
    }
    if ((ints[from + END] & (FIN_SEEN | FINISHED | HOLDS)) !== FIN_SEEN) return
    if (ints[from + NEXT] === ints[from + FIN_AT]) this.#finish(connection, from, time)
    else if (ints[to + END] & ACKED && ((ints[to + ACKED_TO] - ints[from + FIN_AT]) | 0) > 0)
      this.#finishAfterGap(connection, from, time)
  }

  /** The connection ends: hands on all that is held, whatever is missing between. */
  flush(connection: TcpConnection, from: number): void {
    const { ints } = connection
    for (let pieces = this.#pieces(connection, from); pieces?.head; pieces = this.#pieces(connection, from)) {
      if (((pieces.head.seq - ints[from + NEXT]) | 0) > 0) this.#giveUp(connection, from, pieces.head)
      this.#drain(connection, from, pieces)
    }
    if ((ints[from + END] & (FIN_SEEN | FINISHED)) === FIN_SEEN)
      this.#finishAfterGap(connection, from, connection.last)
  }

  /** Gives up holes that have been waited for too long at `now`. */
  sweep(connection: TcpConnection, now: number): void {
    for (const row of this.#waiting) {
      connection.seat(row)
      this.settle(connection, connection.low, now)
      this.settle(connection, connection.high, now)
    }
  }

  #pieces(connection: TcpConnection, from: number): PieceList | undefined {
    return connection.ints[from + END] & HOLDS ? this.#held.get(keyOf(connection, from)) : undefined
  }

  #hold(connection: TcpConnection, from: number): PieceList {
    const pieces = new PieceList()
    connection.ints[from + END] |= HOLDS
    this.#held.set(keyOf(connection, from), pieces)
    this.#waiting.add(connection.row)
    return pieces
  }

  #release(connection: TcpConnection, from: number): void {
    connection.ints[from + END] &= ~HOLDS
    this.#held.delete(keyOf(connection, from))
    if ((connection.ints[connection.peer(from) + END] & HOLDS) === 0) this.#waiting.delete(connection.row)
  }

  /** Hands the first piece on, which is due. Bytes count as arrived when all before them had. */
  #drain(connection: TcpConnection, from: number, pieces: PieceList): void {
    const { ints, doubles } = connection
    const before = pieces.cost
    const piece = pieces.shift()
    this.#budget.book(pieces.cost - before)
    if (pieces.head === undefined) this.#release(connection, from)
    if (piece === undefined) return
    const { bytes, length } = piece
    const old = (ints[from + NEXT] - piece.seq) | 0
    // Half the sequence space away, a piece is neither before nor behind.
    if (old < 0 || old >= length) return
    ints[from + NEXT] = (piece.seq + length) | 0
    const drained = Math.max(doubles[(from >> 1) + DRAINED], piece.time)
    doubles[(from >> 1) + DRAINED] = drained
    const start = Math.min(old, bytes.length)
    this.deliver(connection, from, length - old, bytes, start, bytes.length, drained)
  }

  #giveUp(connection: TcpConnection, from: number, head: Piece): void {
    const { ints, doubles } = connection
    const missing = (head.seq - ints[from + NEXT]) | 0
    ints[from + NEXT] = head.seq
    const drained = Math.max(doubles[(from >> 1) + DRAINED], head.time)
    doubles[(from >> 1) + DRAINED] = drained
    this.#gap(connection, from, missing, drained, false)
  }

  #gap(connection: TcpConnection, from: number, missing: number, time: number, cut: boolean): void {
    connection.doubles[(from >> 1) + MISSING] += missing
    this.#loss.gaps = (this.#loss.gaps ?? 0) + 1
    this.#loss.gap_bytes = (this.#loss.gap_bytes ?? 0) + missing
    this.#handler.gap(connection.flow, connection.side(from), missing, time, cut)
  }

  #finishAfterGap(connection: TcpConnection, from: number, time: number): void {
    const { ints } = connection
    const missing = (ints[from + FIN_AT] - ints[from + NEXT]) | 0
    if (missing > 0) this.#gap(connection, from, missing, time, false)
    ints[from + NEXT] = ints[from + FIN_AT]
    this.#finish(connection, from, time)
  }

  #finish(connection: TcpConnection, from: number, time: number): void {
    const { ints } = connection
    ints[from + END] |= FINISHED
    ints[from + NEXT] = ints[from + FIN_AT] + 1
    this.#handler.finish(connection.flow, connection.side(from), time)
  }
}

/** The number of an end, whichever connection the cursor is seated at later. */
function keyOf(connection: TcpConnection, end: number): number {
  return end === connection.low ? connection.row * 2 : connection.row * 2 + 1
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
