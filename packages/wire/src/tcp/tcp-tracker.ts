import type { CloseReason } from '../flow.ts'
import type { FlowCeiling } from '../flows/flow-ceiling.ts'
import type { FlowMaker } from '../flows/flow-maker.ts'
import { ALIVE, ENDING, FlowTable, QUEUES, type Queue } from '../flows/flow-table.ts'
import type { Tracker } from '../flows/tracker.ts'
import type { Packet } from '../packet.ts'
import type { StreamHandler } from '../stream-handler.ts'
import type { StreamLimits } from '../stream-limits.ts'
import { classify } from './analysis.ts'
import { completeHandshake, synchronize } from './handshake.ts'
import { isReuse } from './port-reuse.ts'
import type { Reassembly } from './reassembly.ts'
import { RoundTrips } from './round-trips.ts'
import { TcpConnection } from './tcp-connection.ts'
import { TcpCounters } from './tcp-counters.ts'
import { ACK, FIN, RST, SEEN, SYN } from './tcp-flags.ts'
import { TcpSegment } from './tcp-segment.ts'
import { NO_SCALE, type TcpSender } from './tcp-sender.ts'

/** Follows TCP connections (RFC 9293): who opened them, what was measured, and how they ended. */
export class TcpTracker implements Tracker {
  readonly #table = new FlowTable<TcpConnection>()
  readonly #trips = new RoundTrips()
  readonly #segment = new TcpSegment()
  readonly #handler: StreamHandler
  readonly #reassembly: Reassembly
  readonly #maker: FlowMaker
  readonly #ceiling: FlowCeiling
  readonly #limits: StreamLimits

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
    ceiling.join(this)
  }

  get size(): number {
    return this.#table.size
  }

  take(packet: Packet): boolean {
    const { data, at, time } = packet
    if (at + 20 > packet.end) return false
    const header = (data[at + 12] >> 4) << 2
    const body = at + header
    if (header < 20 || body > packet.wire) return false
    const flags = data[at + 13]
    const seq = (data[at + 4] << 24) | (data[at + 5] << 16) | (data[at + 6] << 8) | data[at + 7]
    const ack = (data[at + 8] << 24) | (data[at + 9] << 16) | (data[at + 10] << 8) | data[at + 11]
    const sourcePort = (data[at] << 8) | data[at + 1]
    const destinationPort = (data[at + 2] << 8) | data[at + 3]
    const table = this.#table
    const index = table.find(packet, sourcePort, destinationPort)
    let connection = index < 0 ? undefined : table.get(index)
    if (
      connection === undefined ||
      (flags & SYN) !== 0 ||
      time - connection.flow.last > connection.patience
    ) {
      connection = this.#admit(packet, index, connection, sourcePort, destinationPort, flags, seq, ack)
      if (connection === undefined) return true
    } else table.touch(index, time)
    const high = table.fromHigh
    const from = high ? connection.high : connection.low
    const to = high ? connection.low : connection.high
    from.half.packets++
    from.half.bytes += packet.length
    if (time > connection.flow.last) connection.flow.last = time
    const window = (data[at + 14] << 8) | data[at + 15]
    const length = packet.wire - body
    if (from.calm && seq === from.next && (flags & (ACK | RST | SYN | FIN)) === ACK) {
      this.#acknowledge(connection, from, to, seq, ack, window, length, time, false)
      if (length === 0) connection.metrics.completeness |= SEEN.ack
      else {
        const end = (seq + length) | 0
        this.#checkWindow(connection, to, end)
        from.next = end
        from.max = end
        from.maxTime = time
        from.keepAlive = false
        connection.metrics.completeness |= SEEN.data
        this.#trips.sent(from, end, time)
        this.#reassembly.deliver(connection, from, length, data, Math.min(body, packet.end), packet.end, time)
      }
      return true
    }
    this.#segment.fill(packet, seq, ack, flags, window, body)
    this.#examine(connection, from, to, this.#segment)
    return true
  }

  oldest(queue: Queue): number {
    const index = this.#table.oldest(queue)
    return index < 0 ? Number.POSITIVE_INFINITY : this.#table.touchedAt(index)
  }

  evict(queue: Queue): void {
    this.#remove(this.#table.oldest(queue), 'evicted')
  }

  sweep(now: number): void {
    this.#reassembly.sweep(now)
    const table = this.#table
    const { tcpIdle, grace, linger } = this.#limits
    for (const queue of QUEUES) {
      const idle = queue === ALIVE ? tcpIdle : queue === ENDING ? grace : linger
      for (;;) {
        const index = table.oldest(queue)
        if (index < 0 || now - table.touchedAt(index) <= idle) break
        const connection = table.get(index)
        if (connection === undefined) table.remove(index)
        else if (now - connection.flow.last <= idle) table.move(index, queue, connection.flow.last)
        else if (queue === ENDING) this.#close(connection, 'idle', connection.flow.last)
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
   * The connection that a packet belongs to where that is not plain: none is known, or the packet begins a new one
   * in place of the old. `undefined` for a late packet of a connection that is over.
   */
  #admit(
    packet: Packet,
    index: number,
    known: TcpConnection | undefined,
    sourcePort: number,
    destinationPort: number,
    flags: number,
    seq: number,
    ack: number,
  ): TcpConnection | undefined {
    const table = this.#table
    const { time } = packet
    const syn = (flags & SYN) !== 0
    if (known !== undefined) {
      const silent = time - known.flow.last > known.patience
      if (!silent && !isReuse(known, table.fromHigh ? known.high : known.low, seq, ack, flags)) {
        table.touch(index, time)
        return known
      }
      if (silent && known.patience === this.#limits.grace) this.#close(known, 'idle', known.flow.last)
      else this.#remove(index, silent ? 'idle' : 'reused')
    }
    if (table.find(packet, sourcePort, destinationPort) >= 0) {
      const late = !syn || seq === table.mark(index, table.fromHigh)
      if (late && time - table.touchedAt(index) <= this.#limits.linger) return undefined
      table.remove(index)
    }
    this.#ceiling.admit()
    table.find(packet, sourcePort, destinationPort)
    const metrics = new TcpCounters()
    const fromClient = syn ? (flags & ACK) === 0 : sourcePort >= destinationPort
    const flow = this.#maker.make(
      packet,
      'tcp',
      { sourcePort, destinationPort, fromHigh: table.fromHigh, fromClient, midstream: !syn },
      metrics,
    )
    const connection = new TcpConnection(flow, metrics, this.#limits.tcpIdle)
    connection.handshaking = syn
    connection.index = table.add(connection, time)
    this.#handler.open(flow)
    return connection
  }

  /** A segment that may be anything but the plain next one. */
  #examine(connection: TcpConnection, from: TcpSender, to: TcpSender, segment: TcpSegment): void {
    const { seq, length, time, first, stop } = segment
    const { metrics } = connection
    if (segment.flags & RST) {
      this.#reset(connection, from, to, segment)
      return
    }
    // Whoever reset a connection says nothing more in it: the reset was not its own.
    if (connection.resetBy === from && length > 0) this.#revive(connection)
    this.#reassembly.settle(connection, from, time)
    const oddity = classify(connection, from, to, segment)
    if (oddity === 'retransmission') this.#trips.forget(from)
    if (segment.syn) synchronize(connection, from, to, segment, this.#trips)
    else from.begin(seq, time)
    from.keepAlive = oddity === 'keep-alive'
    if (segment.acknowledges && !segment.syn) {
      if (connection.handshaking) completeHandshake(connection, from, to, segment)
      this.#acknowledge(connection, from, to, seq, segment.ack, segment.window, length, time, segment.fin)
      if (length === 0) metrics.completeness |= SEEN.ack
      else if (!segment.fin) this.#checkWindow(connection, to, stop)
    }
    if (length > 0 && oddity !== 'keep-alive') {
      metrics.completeness |= SEEN.data
      // A join in the middle may begin at a keep-alive, one byte before the stream goes on.
      if (connection.flow.midstream && from.firstData === 0 && ((first - from.next) | 0) === 1)
        from.next = first
      this.#reassembly.take(connection, from, first, length, segment.data, segment.body, segment.end, time)
    }
    if (((stop - from.max) | 0) > 0) {
      from.max = stop
      from.maxTime = time
      if (stop !== seq) this.#trips.sent(from, stop, time)
    }
    if (segment.fin) this.#fin(connection, from, to, (first + length) | 0)
    this.#reassembly.settle(connection, from, time)
    if (from.finished && to.finished && isAcknowledged(from, to) && isAcknowledged(to, from))
      this.#close(connection, 'fin', time)
    else from.calm = !connection.handshaking && from.next === from.max && !from.finSeen && !to.finSeen
  }

  #acknowledge(
    connection: TcpConnection,
    from: TcpSender,
    to: TcpSender,
    seq: number,
    ack: number,
    window: number,
    length: number,
    time: number,
    fin: boolean,
  ): void {
    const shift = from.shift
    const scaled = shift > 0 ? window << shift : window
    const grown = (ack - from.ack) | 0
    if (grown > 0 || !from.acked) {
      from.acked = true
      from.ack = ack
      from.ackTime = time
      from.duplicates = 0
      if (to.timed > 0) this.#trips.acknowledged(connection, to, ack, time)
      if (to.pieces !== undefined || to.finSeen) this.#reassembly.settle(connection, to, time)
    } else if (grown === 0 && length === 0 && scaled !== 0 && scaled === from.window && seq === from.max) {
      if (!to.keepAlive && !fin) {
        connection.metrics.duplicate_acks++
        from.duplicates++
        from.ackTime = time
      }
    }
    from.window = scaled
    if (window === 0 && !fin) connection.metrics.zero_window++
  }

  /** A segment that fills the window of the other end to the last byte. */
  #checkWindow(connection: TcpConnection, to: TcpSender, end: number): void {
    if (to.shift !== NO_SCALE && to.acked && ((end - to.ack) | 0) === to.window)
      connection.metrics.window_full++
  }

  #fin(connection: TcpConnection, from: TcpSender, to: TcpSender, at: number): void {
    const { flow, metrics } = connection
    metrics.fins++
    metrics.completeness |= SEEN.fin
    if (from.finSeen) return
    from.finSeen = true
    from.fin = at
    from.calm = false
    to.calm = false
    flow.closedBy ??= flow.side(from.high)
    if (to.finSeen) this.#expectEnd(connection)
  }

  /** Bytes that were under way to the end that reset the connection are still followed for a moment. */
  #reset(connection: TcpConnection, from: TcpSender, to: TcpSender, segment: TcpSegment): void {
    const { time } = segment
    const { flow, metrics } = connection
    const refused = to.synSeen && !from.synSeen && (metrics.completeness & (SEEN.synAck | SEEN.data)) === 0
    metrics.resets++
    metrics.completeness |= SEEN.rst
    if (segment.acknowledges) {
      if (segment.length === 0) metrics.completeness |= SEEN.ack
      this.#trips.acknowledged(connection, to, segment.ack, time)
    }
    flow.closedBy ??= flow.side(from.high)
    if (refused) {
      this.#close(connection, 'refused', time)
      return
    }
    if (connection.resetBy === undefined) this.#expectEnd(connection)
    connection.resetBy ??= from
    from.calm = false
  }

  /** Little more is to be expected: it is followed for a short grace only. */
  #expectEnd(connection: TcpConnection): void {
    connection.patience = this.#limits.grace
    this.#table.move(connection.index, ENDING, connection.flow.last)
  }

  #revive(connection: TcpConnection): void {
    connection.patience = this.#limits.tcpIdle
    connection.resetBy = undefined
    delete connection.flow.closedBy
    this.#table.move(connection.index, ALIVE, connection.flow.last)
  }

  /** The connection is over; its ends are remembered for a while. */
  #close(connection: TcpConnection, reason: CloseReason, time: number): void {
    const { low, high } = connection
    this.#table.release(connection.index, time, low.initial, high.initial)
    this.#conclude(connection, reason, time)
  }

  /** Takes a connection out of the table, whether it is over or not. */
  #remove(index: number, reason: CloseReason): void {
    const connection = this.#table.get(index)
    this.#table.remove(index)
    if (connection === undefined) return
    this.#conclude(connection, reason, connection.flow.last)
  }

  #conclude(connection: TcpConnection, reason: CloseReason, time: number): void {
    const { flow, low, high } = connection
    this.#reassembly.flush(connection, low)
    this.#reassembly.flush(connection, high)
    this.#trips.forget(low)
    this.#trips.forget(high)
    const ended = connection.resetBy !== undefined ? 'reset' : low.finSeen && high.finSeen ? 'fin' : undefined
    flow.closed = ended ?? reason
    this.#handler.close(flow, time)
  }
}

/** Whether the FIN of one end was acknowledged by the other. */
function isAcknowledged(sender: TcpSender, by: TcpSender): boolean {
  return by.acked && ((by.ack - sender.fin) | 0) > 0
}
