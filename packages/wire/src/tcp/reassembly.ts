import type { ByteBudget } from '../byte-budget.ts'
import type { Loss } from '../loss.ts'
import { type Piece, PieceList } from '../piece-list.ts'
import type { StreamHandler } from '../stream-handler.ts'
import type { StreamLimits } from '../stream-limits.ts'
import type { TcpConnection } from './tcp-connection.ts'
import type { TcpSender } from './tcp-sender.ts'

/** Beyond what a peer acknowledged, no window reaches this far: such a segment belongs to something else. */
const MAX_AHEAD = 1 << 26

/** Hands the bytes of connections on in order: at once where they come in order, after a bounded wait where not. */
export class Reassembly {
  readonly #handler: StreamHandler
  readonly #loss: Loss
  readonly #budget: ByteBudget
  readonly #limits: StreamLimits
  /** Connections with bytes behind a hole. */
  readonly #waiting = new Set<TcpConnection>()

  constructor(handler: StreamHandler, loss: Loss, budget: ByteBudget, limits: StreamLimits) {
    this.#handler = handler
    this.#loss = loss
    this.#budget = budget
    this.#limits = limits
  }

  /** The next `length` bytes of a sender, of which `data[start, end)` was captured. */
  deliver(
    connection: TcpConnection,
    from: TcpSender,
    length: number,
    data: Uint8Array,
    start: number,
    end: number,
    time: number,
  ): void {
    const { flow } = connection
    const captured = end - start
    if (captured > 0) {
      from.half.goodput += captured
      if (!connection.answered) timeFirstByte(connection, from, time)
      this.#handler.data(flow, flow.side(from.high), data, start, end, time)
    }
    if (captured < length) this.#gap(connection, from, length - captured, time, true)
  }

  /** `length` payload bytes at `seq`, at any place. */
  take(
    connection: TcpConnection,
    from: TcpSender,
    seq: number,
    length: number,
    data: Uint8Array,
    start: number,
    end: number,
    time: number,
  ): void {
    const old = (from.next - seq) | 0
    if (old >= length) return
    if (from.finSeen && ((seq - from.fin) | 0) >= 0) return
    const stop = (seq + length) | 0
    const head = from.pieces?.head
    if (old >= 0 && (head === undefined || ((stop - head.seq) | 0) <= 0)) {
      from.next = stop
      from.drained = time
      const at = Math.min(start + old, end)
      this.deliver(connection, from, length - old, data, at, end, time)
      return
    }
    if (this.#isForeign(connection.peer(from), seq, old)) {
      this.#loss.malformed_packets = (this.#loss.malformed_packets ?? 0) + 1
      return
    }
    from.pieces ??= new PieceList()
    const { pieces } = from
    const before = pieces.cost
    const skip = Math.max(0, old)
    if (pieces.insert((seq + skip) | 0, length - skip, data, Math.min(start + skip, end), end, time))
      connection.metrics.overlap_conflicts++
    this.#budget.book(pieces.cost - before)
    this.#waiting.add(connection)
  }

  /** Hands on what can be, gives up holes that will not be filled, and tells the end of a sender that is reached. */
  settle(connection: TcpConnection, from: TcpSender, time: number): void {
    const to = connection.peer(from)
    for (let head = from.pieces?.head; head !== undefined; head = from.pieces?.head) {
      if (((head.seq - from.next) | 0) <= 0) this.#drain(connection, from)
      else if (to.acked && ((to.ack - head.seq) | 0) >= 0) this.#giveUp(connection, from, head)
      else if (time - head.time > this.#limits.gapWait) this.#giveUp(connection, from, head)
      else if (this.#isFull(from)) {
        this.#loss.reassembly_overflow = (this.#loss.reassembly_overflow ?? 0) + 1
        this.#giveUp(connection, from, head)
      } else break
    }
    if (!from.finSeen || from.finished || from.pieces !== undefined) return
    if (from.next === from.fin) this.#finish(connection, from, time)
    else if (to.acked && ((to.ack - from.fin) | 0) > 0) this.#finishAfterGap(connection, from, time)
  }

  /** The connection ends: hands on all that is held, whatever is missing between. */
  flush(connection: TcpConnection, from: TcpSender): void {
    for (let head = from.pieces?.head; head !== undefined; head = from.pieces?.head) {
      if (((head.seq - from.next) | 0) > 0) this.#giveUp(connection, from, head)
      this.#drain(connection, from)
    }
    if (from.finSeen && !from.finished) this.#finishAfterGap(connection, from, connection.flow.last)
  }

  /** Gives up holes that have been waited for too long at `now`. */
  sweep(now: number): void {
    for (const connection of this.#waiting) {
      this.settle(connection, connection.low, now)
      this.settle(connection, connection.high, now)
    }
  }

  #isFull(from: TcpSender): boolean {
    return (
      from.pieces !== undefined && (from.pieces.cost > this.#limits.heldPerSide || this.#budget.exhausted)
    )
  }

  /** With the peer's acknowledgements in view, a segment far ahead of all of them is not of this stream. */
  #isForeign(to: TcpSender, seq: number, old: number): boolean {
    return to.acked && -old > MAX_AHEAD && ((seq - to.ack) | 0) > MAX_AHEAD
  }

  /** Hands the first piece on, which is due. Bytes count as arrived when all before them had. */
  #drain(connection: TcpConnection, from: TcpSender): void {
    const { pieces } = from
    if (pieces === undefined) return
    const before = pieces.cost
    const piece = pieces.shift()
    this.#budget.book(pieces.cost - before)
    if (pieces.head === undefined) {
      from.pieces = undefined
      if (connection.peer(from).pieces === undefined) this.#waiting.delete(connection)
    }
    if (piece === undefined) return
    const { bytes, length } = piece
    const old = (from.next - piece.seq) | 0
    // Half the sequence space away, a piece is neither before nor behind.
    if (old < 0 || old >= length) return
    from.next = (piece.seq + length) | 0
    from.drained = Math.max(from.drained, piece.time)
    const start = Math.min(old, bytes.length)
    this.deliver(connection, from, length - old, bytes, start, bytes.length, from.drained)
  }

  #giveUp(connection: TcpConnection, from: TcpSender, head: Piece): void {
    const missing = (head.seq - from.next) | 0
    from.next = head.seq
    from.drained = Math.max(from.drained, head.time)
    this.#gap(connection, from, missing, from.drained, false)
  }

  #gap(connection: TcpConnection, from: TcpSender, missing: number, time: number, cut: boolean): void {
    const { flow } = connection
    from.half.missing += missing
    this.#loss.gaps = (this.#loss.gaps ?? 0) + 1
    this.#loss.gap_bytes = (this.#loss.gap_bytes ?? 0) + missing
    this.#handler.gap(flow, flow.side(from.high), missing, time, cut)
  }

  #finishAfterGap(connection: TcpConnection, from: TcpSender, time: number): void {
    const missing = (from.fin - from.next) | 0
    if (missing > 0) this.#gap(connection, from, missing, time, false)
    from.next = from.fin
    this.#finish(connection, from, time)
  }

  #finish(connection: TcpConnection, from: TcpSender, time: number): void {
    const { flow } = connection
    from.finished = true
    from.next = (from.fin + 1) | 0
    this.#handler.finish(flow, flow.side(from.high), time)
  }
}

/** The first payload of the server after the first of the client. */
function timeFirstByte(connection: TcpConnection, from: TcpSender, time: number): void {
  if (from.firstData === 0) from.firstData = time
  const { flow, metrics } = connection
  if (flow.side(from.high) === 0) return
  const asked = connection.peer(from).firstData
  if (asked === 0) return
  metrics.time_to_first_byte_us = Math.max(0, Math.round(time - asked))
  connection.answered = true
}
