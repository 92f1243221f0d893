import type { CloseReason } from '../flow.ts'
import type { FlowCeiling } from '../flows/flow-ceiling.ts'
import { BYTES, LAST, PACKETS } from '../flows/flow-counter-table.ts'
import type { FlowMaker } from '../flows/flow-maker.ts'
import { ALIVE, ENDING, FlowTable, QUEUES, type Queue } from '../flows/flow-table.ts'
import type { Tracker } from '../flows/tracker.ts'
import type { Packet } from '../packet.ts'
import type { StreamHandler } from '../stream-handler.ts'
import type { StreamLimits } from '../stream-limits.ts'
import { Acknowledgements } from './acknowledgements.ts'
import { checkWindow, classify } from './analysis.ts'
import {
  identification,
  isCopiedAcknowledgement,
  isCopy,
  isSentLater,
  noteCaptured,
  noteIdentification,
} from './captured-before.ts'
import { completeHandshake, isRefusal, synchronize } from './handshake.ts'
import { isReuse } from './port-reuse.ts'
import type { Reassembly } from './reassembly.ts'
import { noteDelivered } from './recent-bytes.ts'
import { RoundTrips } from './round-trips.ts'
import { cutOff, sentAgain } from './sent-again.ts'
import { TcpConnection } from './tcp-connection.ts'
import { ACK, FIN, RST, SEEN, SYN } from './tcp-flags.ts'
import {
  ACKED_BY_RESET,
  ACKED_UNSEEN,
  COMPLETENESS,
  END,
  ENDING_SOON,
  FAST_PATH,
  FIN_AT,
  FIN_SEEN,
  FINISHED,
  FIRST_DATA,
  HANDSHAKING,
  INDEX,
  INITIAL,
  KEPT_ALIVE,
  MAX,
  MAX_TIME,
  NEXT,
  RESET_BY_HIGH,
  RESET_BY_LOW,
  SENT,
  STATE,
  SYN_SEEN,
} from './tcp-row.ts'
import { TcpSegment } from './tcp-segment.ts'

/** Follows TCP connections (RFC 9293): who opened them, what was measured, and how they ended. */
export class TcpTracker implements Tracker {
  /** The row of each connection. */
  readonly #table = new FlowTable<number>()
  /** The selected connection. */
  readonly #connection = new TcpConnection()
  readonly #trips = new RoundTrips()
  readonly #segment = new TcpSegment()
  readonly #acknowledgements: Acknowledgements
  readonly #handler: StreamHandler
  readonly #reassembly: Reassembly
  readonly #maker: FlowMaker
  readonly #ceiling: FlowCeiling
  readonly #limits: StreamLimits
  /** Packets that were captured before, on another device or inside of a tunnel. */
  copies = 0

  constructor(
    handler: StreamHandler,
    reassembly: Reassembly,
    maker: FlowMaker,
    ceiling: FlowCeiling,
    limits: StreamLimits,
  ) {
    this.#handler = handler
    this.#reassembly = reassembly
    this.#maker = maker
    this.#ceiling = ceiling
    this.#limits = limits
    this.#acknowledgements = new Acknowledgements(this.#trips, reassembly)
    ceiling.join(this)
  }

  get size(): number {
    return this.#table.size
  }

  take(packet: Packet): boolean {
    const { view, at, time } = packet
    if (at + 20 > packet.end) return false
    // Length of the header, flags, and the window.
    const third = view.getInt32(at + 12)
    const header = (third >>> 28) << 2
    const body = at + header
    if (header < 20 || body > packet.wire) return false
    const flags = (third >> 16) & 0xff
    const window = third & 0xffff
    const seq = view.getInt32(at + 4)
    const ack = view.getInt32(at + 8)
    const ports = view.getInt32(at)
    const table = this.#table
    const index = table.find(packet, ports >>> 16, ports & 0xffff)
    const connection = this.#connection
    const row = index < 0 ? undefined : table.get(index)
    if (row !== undefined) connection.select(row)
    if (row === undefined || (flags & SYN) !== 0 || this.#isSilent(time)) {
      this.#segment.fill(packet, seq, ack, flags, window, body)
      if (!this.#admit(packet, ports, index, row !== undefined)) return true
    } else table.touch(index, time)
    const { ints, doubles, both } = connection
    const from = table.fromHigh ? connection.high : connection.low
    const to = table.fromHigh ? connection.low : connection.high
    const length = packet.wire - body
    if (length === 0 && flags === ACK && isCopiedAcknowledgement(connection, from, ack, packet)) {
      this.copies++
      return true
    }
    const fromDoubles = from >> 1
    doubles[fromDoubles + PACKETS]++
    doubles[fromDoubles + BYTES] += packet.length
    const last = doubles[(both >> 1) + LAST]
    if (time > last) doubles[(both >> 1) + LAST] = time
    if (
      ints[from + END] & FAST_PATH &&
      seq === ints[from + NEXT] &&
      (flags & (ACK | RST | SYN | FIN)) === ACK &&
      (((ack - ints[to + NEXT]) | 0) <= 0 || length === 0)
    ) {
      noteIdentification(ints, from, identification(packet))
      const acknowledgements = this.#acknowledgements
      const grown = acknowledgements.advance(connection, from, to, ack, time)
      if (grown === 0 && length === 0) acknowledgements.repeat(connection, from, to, window, time)
      acknowledgements.offer(connection, from, window)
      if (window === 0) connection.zeroWindow(from, time)
      if (length === 0) ints[both + COMPLETENESS] |= SEEN.ack
      else {
        const stop = (seq + length) | 0
        checkWindow(connection, to, stop)
        ints[from + NEXT] = stop
        ints[from + MAX] = stop
        doubles[fromDoubles + MAX_TIME] = time
        ints[from + END] &= ~(KEPT_ALIVE | ACKED_UNSEEN)
        ints[both + COMPLETENESS] |= SEEN.data
        this.#trips.sent(connection, from, stop, time)
        const { end, wire } = packet
        noteDelivered(ints, from, seq, view, body, end)
        this.#reassembly.deliver(connection, from, packet.data, Math.min(body, end), end, time)
        if (wire > end) this.#reassembly.cut(connection, from, wire - Math.max(body, end), time)
      }
      return true
    }
    this.#segment.fill(packet, seq, ack, flags, window, body)
    if (this.#isCopy(connection, from, packet, time - last)) {
      doubles[fromDoubles + PACKETS]--
      doubles[fromDoubles + BYTES] -= packet.length
      this.copies++
      return true
    }
    const isLater = isSentLater(ints, from, packet)
    noteCaptured(ints, from, packet)
    this.#examine(connection, from, to, this.#segment, isLater)
    return true
  }

  /** A segment without new bytes may be a copy of a packet that was captured before. */
  #isCopy(connection: TcpConnection, from: number, packet: Packet, elapsed: number): boolean {
    const { ints } = connection
    const segment = this.#segment
    const { flags, length, seq, first, stop } = segment
    if ((ints[from + END] & SENT) === 0) return false
    if (flags & RST)
      return connection.is(connection.resetBy(from)) && isCopy(connection, from, segment, packet, elapsed)
    if (stop === seq) return false
    const hasSeenFin = (ints[from + END] & FIN_SEEN) !== 0 && ints[from + FIN_AT] === ((first + length) | 0)
    if (segment.fin && !hasSeenFin) return false
    if (segment.syn ? (ints[from + END] & SYN_SEEN) === 0 || seq !== ints[from + INITIAL] : false)
      return false
    if (length > 0 && !this.#reassembly.has(connection, from, segment)) return false
    return isCopy(connection, from, segment, packet, elapsed)
  }

  oldest(queue: Queue): number {
    const index = this.#table.oldest(queue)
    return index < 0 ? Number.POSITIVE_INFINITY : this.#table.touchedAt(index)
  }

  evict(queue: Queue): void {
    this.#remove(this.#table.oldest(queue), 'evicted')
  }

  sweep(now: number): void {
    const connection = this.#connection
    this.#reassembly.sweep(connection, now)
    const table = this.#table
    const { tcpIdle, grace, linger } = this.#limits
    for (const queue of QUEUES) {
      const idle = queue === ALIVE ? tcpIdle : queue === ENDING ? grace : linger
      for (;;) {
        const index = table.oldest(queue)
        if (index < 0 || now - table.touchedAt(index) <= idle) break
        const row = table.get(index)
        if (row === undefined) {
          table.remove(index)
          continue
        }
        connection.select(row)
        if (now - connection.last <= idle) this.#move(connection, queue)
        else if (queue === ENDING) this.#close(connection, 'idle', connection.last)
        else this.#remove(index, 'idle')
      }
    }
  }

  end(): void {
    for (const queue of QUEUES)
      for (let index = this.#table.oldest(queue); index >= 0; index = this.#table.oldest(queue))
        this.#remove(index, 'end-of-capture')
  }

  /**
   * Selects the connection of a packet in the uncommon cases: it is new, or the packet begins a new one with the same
   * key. False for a late packet of a connection that is over.
   */
  #admit(packet: Packet, ports: number, index: number, isKnown: boolean): boolean {
    const connection = this.#connection
    const table = this.#table
    const segment = this.#segment
    const { time, syn, seq } = segment
    const sourcePort = ports >>> 16
    const destinationPort = ports & 0xffff
    let place = index
    if (isKnown) {
      const silent = this.#isSilent(time)
      const from = table.fromHigh ? connection.high : connection.low
      if (!silent && !isReuse(connection, from, segment)) {
        table.touch(index, time)
        return true
      }
      if (silent && connection.is(ENDING_SOON)) this.#close(connection, 'idle', connection.last)
      else this.#remove(index, silent ? 'idle' : 'reused')
      place = table.find(packet, sourcePort, destinationPort)
    }
    if (place >= 0) {
      const late = !syn || seq === table.mark(place, table.fromHigh)
      if (late && time - table.touchedAt(place) <= this.#limits.linger) return false
      table.remove(place)
      // `add` uses the key of a `find` without result.
      table.find(packet, sourcePort, destinationPort)
    }
    this.#ceiling.admit()
    const fromClient = syn ? !segment.acknowledges : sourcePort >= destinationPort
    const kind = this.#maker.kind(packet, 'tcp', !syn, connection.rows)
    const flow = this.#maker.make(packet, kind, sourcePort, destinationPort, table.fromHigh, fromClient)
    connection.open(flow, syn)
    connection.ints[connection.both + INDEX] = table.add(flow.row, time)
    this.#handler.open(flow)
    return true
  }

  /** Whether the connection was idle for so long that it is over. */
  #isSilent(time: number): boolean {
    const connection = this.#connection
    return time - connection.last > (connection.is(ENDING_SOON) ? this.#limits.grace : this.#limits.tcpIdle)
  }

  /** A segment off the fast path. `isLater`: it was sent after those before. */
  #examine(connection: TcpConnection, from: number, to: number, segment: TcpSegment, isLater: boolean): void {
    const { seq, length, time, first, stop } = segment
    const { ints, doubles, both } = connection
    if (segment.flags & RST) {
      this.#reset(connection, from, to, segment)
      return
    }
    // An end sends no data after its own reset: that reset was forged.
    if (length > 0 && ints[both + STATE] & connection.resetBy(from)) this.#revive(connection)
    this.#reassembly.settle(connection, from, time)
    const oddity = classify(connection, from, to, segment, isLater)
    if (oddity === 'retransmission') sentAgain(connection, from, to, segment, this.#trips)
    if (segment.syn) synchronize(connection, from, to, segment, this.#trips)
    else connection.begin(from, seq, time)
    if (oddity === 'keep-alive') ints[from + END] |= KEPT_ALIVE
    else ints[from + END] &= ~KEPT_ALIVE
    if (segment.acknowledges && !segment.syn) {
      if (ints[both + STATE] & HANDSHAKING) completeHandshake(connection, from, to, segment)
      this.#acknowledgements.take(connection, from, to, segment)
      if (length === 0) ints[both + COMPLETENESS] |= SEEN.ack
      else if (!segment.fin) checkWindow(connection, to, stop)
    }
    if (length > 0 && oddity !== 'keep-alive') {
      ints[both + COMPLETENESS] |= SEEN.data
      // A capture may begin at a keep-alive, one byte before the stream continues.
      if (
        connection.flow.midstream &&
        doubles[(from >> 1) + FIRST_DATA] === 0 &&
        ((first - ints[from + NEXT]) | 0) === 1
      )
        ints[from + NEXT] = first
      this.#reassembly.take(connection, from, to, segment)
    }
    if (((stop - ints[from + MAX]) | 0) > 0) {
      ints[from + MAX] = stop
      doubles[(from >> 1) + MAX_TIME] = time
      if (stop !== seq) this.#trips.sent(connection, from, stop, time)
    }
    if (segment.fin) this.#fin(connection, from, to, (first + length) | 0, time)
    this.#reassembly.settle(connection, from, time)
    if (ints[from + END] & ints[to + END] & FINISHED && connection.hasEnded)
      this.#close(connection, 'fin', time)
    else connection.updateFastPath(from, to)
  }

  #fin(connection: TcpConnection, from: number, to: number, at: number, time: number): void {
    const { ints, both, flow } = connection
    connection.fin(from, time)
    ints[both + COMPLETENESS] |= SEEN.fin
    if (ints[from + END] & FIN_SEEN) return
    ints[from + END] = (ints[from + END] | FIN_SEEN) & ~FAST_PATH
    ints[from + FIN_AT] = at
    ints[to + END] &= ~FAST_PATH
    flow.closedBy ??= connection.side(from)
    if (ints[to + END] & FIN_SEEN) this.#expectEnd(connection)
  }

  /** Follows bytes in flight to the end that reset the connection for a short time. */
  #reset(connection: TcpConnection, from: number, to: number, segment: TcpSegment): void {
    const { ints, both, flow } = connection
    const refused = isRefusal(connection, from, to)
    connection.reset(from, segment.time)
    ints[both + COMPLETENESS] |= SEEN.rst
    if (segment.acknowledges) {
      if (segment.length === 0) ints[both + COMPLETENESS] |= SEEN.ack
      this.#trips.acknowledged(connection, to, segment.ack, segment.time)
      if (((ints[to + MAX] - segment.ack) | 0) <= 0) {
        ints[to + END] |= ACKED_BY_RESET
        connection.setUnacked(to, 0)
      }
    }
    flow.closedBy ??= connection.side(from)
    if (refused) {
      this.#close(connection, 'refused', segment.time)
      return
    }
    if (!connection.is(RESET_BY_LOW | RESET_BY_HIGH)) {
      this.#expectEnd(connection)
      ints[both + STATE] |= connection.resetBy(from)
    }
    ints[from + END] &= ~FAST_PATH
  }

  /** Follows the connection only for the grace period. */
  #expectEnd(connection: TcpConnection): void {
    connection.ints[connection.both + STATE] |= ENDING_SOON
    this.#move(connection, ENDING)
  }

  #revive(connection: TcpConnection): void {
    connection.ints[connection.both + STATE] &= ~(ENDING_SOON | RESET_BY_LOW | RESET_BY_HIGH)
    delete connection.flow.closedBy
    this.#move(connection, ALIVE)
  }

  #move(connection: TcpConnection, queue: Queue): void {
    this.#table.move(connection.index, queue, connection.last)
  }

  /** The connection is over; its ends are remembered for a while. */
  #close(connection: TcpConnection, reason: CloseReason, time: number): void {
    const { ints, low, high } = connection
    this.#table.release(connection.index, time, ints[low + INITIAL], ints[high + INITIAL])
    this.#conclude(connection, reason, time)
  }

  /** Takes a connection out of the table, whether it is over or not. */
  #remove(index: number, reason: CloseReason): void {
    const connection = this.#connection
    const row = this.#table.get(index)
    this.#table.remove(index)
    if (row === undefined) return
    connection.select(row)
    this.#conclude(connection, reason, connection.last)
  }

  #conclude(connection: TcpConnection, reason: CloseReason, time: number): void {
    const { ints, low, high } = connection
    this.#reassembly.flush(connection)
    connection.keepInitials()
    const hasReset = connection.is(RESET_BY_LOW | RESET_BY_HIGH)
    if (hasReset) for (const end of [low, high]) cutOff(connection, end, this.#trips)
    this.#trips.forget(connection, low)
    this.#trips.forget(connection, high)
    const ended = hasReset ? 'reset' : ints[low + END] & ints[high + END] & FIN_SEEN ? 'fin' : undefined
    const flow = connection.leave()
    flow.close(ended ?? reason)
    this.#handler.close(flow, time)
  }
}
