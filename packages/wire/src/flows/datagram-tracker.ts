import type { CloseReason, Transport } from '../flow.ts'
import type { Packet } from '../packet.ts'
import type { StreamHandler } from '../stream-handler.ts'
import type { FlowCeiling } from './flow-ceiling.ts'
import {
  BYTES,
  END_COUNTS,
  FlowCounterTable,
  GOODPUT,
  LAST,
  MARK,
  MISSING,
  PACKETS,
} from './flow-counter-table.ts'
import type { FlowMaker } from './flow-maker.ts'
import type { FlowRecord } from './flow-record.ts'
import { ALIVE, ENDING, FlowTable, type Queue } from './flow-table.ts'
import type { Tracker } from './tracker.ts'

/** The properties of a transport that `DatagramTracker` follows. */
export interface DatagramTransport {
  readonly transport: Transport
  /** Microseconds without a packet after which a flow is over; `answered`: after one packet each way, and no more. */
  readonly idle: number
  readonly answered?: number
  /** Narrows `packet` to the message that the handler gets; `false` where its header is broken or cut. */
  open(packet: Packet): boolean
  readonly ports: boolean
  /** Whether the first packet of a flow was sent by its client. */
  fromClient(packet: Packet, sourcePort: number, destinationPort: number): boolean
}

/**
 * Of an end, after its counters: packets of it outside of tunnels less those inside, the mark of its last packet (`MARK`), and the mark
 * of the packet before that.
 */
const OUTSIDE = END_COUNTS
const EARLIER_MARK = END_COUNTS + 2
const END_WIDTH = END_COUNTS + 3
/** A packet passes the devices of a node within this time. */
const COPIED_WITHIN_US = 20_000

/** What a packet was counted as. */
const NEW = 0
const ANSWERED = 1
const COPY = 2
type Counted = typeof NEW | typeof ANSWERED | typeof COPY

/** Flows that are alive, and flows that have probably ended. */
const QUEUES = [ALIVE, ENDING] as const

/** Flows of a transport without connections: they open with the first packet and end when no more come. */
export class DatagramTracker implements Tracker {
  /** Packets that were captured before, on another device or inside of a tunnel. */
  copies = 0
  readonly #table = new FlowTable<FlowRecord>()
  readonly #rows = new FlowCounterTable(END_WIDTH)
  readonly #kind: DatagramTransport
  readonly #handler: StreamHandler
  readonly #maker: FlowMaker
  readonly #ceiling: FlowCeiling

  constructor(kind: DatagramTransport, handler: StreamHandler, maker: FlowMaker, ceiling: FlowCeiling) {
    this.#kind = kind
    this.#handler = handler
    this.#maker = maker
    this.#ceiling = ceiling
    ceiling.join(this)
  }

  get size(): number {
    return this.#table.size
  }

  take(packet: Packet): boolean {
    const { data, at: header, time } = packet
    if (!this.#kind.open(packet)) return false
    const ports = this.#kind.ports
    const sourcePort = ports ? (data[header] << 8) | data[header + 1] : 0
    const destinationPort = ports ? (data[header + 2] << 8) | data[header + 3] : 0
    const sum = header + (ports ? 6 : 2)
    const checksum = (data[sum] << 8) | data[sum + 1]
    const table = this.#table
    const index = table.find(packet, sourcePort, destinationPort)
    const known = index < 0 ? undefined : table.get(index)
    if (known === undefined) this.#begin(packet, sourcePort, destinationPort, checksum)
    else if (this.#isOver(index, known, time)) {
      this.#close(index, known, 'idle')
      // `add` uses the key of a `find` without result.
      table.find(packet, sourcePort, destinationPort)
      this.#begin(packet, sourcePort, destinationPort, checksum)
    } else this.#goOn(index, known, packet, checksum)
    return true
  }

  oldest(queue: Queue): number {
    const index = this.#table.oldest(queue)
    return index < 0 ? Number.POSITIVE_INFINITY : this.#table.touchedAt(index)
  }

  evict(queue: Queue): void {
    const index = this.#table.oldest(queue)
    const flow = this.#table.get(index)
    if (flow !== undefined) this.#close(index, flow, 'evicted')
  }

  sweep(now: number): void {
    for (const queue of QUEUES)
      for (;;) {
        const index = this.#table.oldest(queue)
        const flow = index < 0 ? undefined : this.#table.get(index)
        if (flow === undefined) break
        const idle = this.#idle(queue)
        if (now - this.#table.touchedAt(index) <= idle) break
        const { last } = flow
        if (now - last > idle) this.#close(index, flow, 'idle')
        else this.#table.move(index, queue, last)
      }
  }

  end(): void {
    for (const queue of QUEUES)
      for (;;) {
        const index = this.#table.oldest(queue)
        const flow = index < 0 ? undefined : this.#table.get(index)
        if (flow === undefined) break
        this.#close(index, flow, 'end-of-capture')
      }
  }

  #begin(packet: Packet, sourcePort: number, destinationPort: number, checksum: number): void {
    const table = this.#table
    const high = table.fromHigh
    this.#ceiling.admit()
    const kind = this.#maker.kind(packet, this.#kind.transport, false, this.#rows)
    const fromClient = this.#kind.fromClient(packet, sourcePort, destinationPort)
    const flow = this.#maker.make(packet, kind, sourcePort, destinationPort, high, fromClient)
    table.add(flow, packet.time)
    this.#handler.open(flow)
    this.#count(flow, high, packet, checksum)
    this.#handler.datagram(flow, flow.side(high), packet)
  }

  #goOn(index: number, flow: FlowRecord, packet: Packet, checksum: number): void {
    const table = this.#table
    const high = table.fromHigh
    const counted = this.#count(flow, high, packet, checksum)
    if (counted === COPY) {
      this.copies++
      return
    }
    if (table.queueOf(index) === ENDING) table.move(index, ALIVE, packet.time)
    else if (counted === ANSWERED && this.#kind.answered !== undefined) table.move(index, ENDING, packet.time)
    else table.touch(index, packet.time)
    this.#handler.datagram(flow, flow.side(high), packet)
  }

  /**
   * Counts a packet that was not captured before. Of packets that are captured inside and outside of a tunnel, each way has all of
   * them: the way that has more counts. Elsewhere a copy has the identification (RFC 6864), size and checksum of one of the
   * two packets before it: a resolver sends two questions at once. Some senders give all packets one identification.
   * `ANSWERED` after one packet each way, as in most DNS lookups: such a port is not used again.
   */
  #count({ row }: FlowRecord, high: boolean, packet: Packet, checksum: number): Counted {
    const doubles = this.#rows.doubles(row)
    const low = this.#rows.at(row)
    const end = high ? low + END_WIDTH : low
    const last = low + 2 * END_WIDTH + LAST
    const id = packet.v6 ? 0 : packet.view.getUint16(packet.ip + 4)
    const mark = id === 0 ? 0 : id + checksum * 0x10000 + (packet.wire - packet.at) * 0x100000000
    const before = doubles[end + MARK]
    const isRepeated = mark !== 0 && (mark === before || mark === doubles[end + EARLIER_MARK])
    if (isRepeated && packet.time - doubles[last] <= COPIED_WITHIN_US) return COPY
    doubles[end + EARLIER_MARK] = before
    doubles[end + MARK] = mark
    if (packet.tunnel === '' ? ++doubles[end + OUTSIDE] <= 0 : --doubles[end + OUTSIDE] >= 0) return COPY
    doubles[end + PACKETS]++
    doubles[end + BYTES] += packet.length
    doubles[end + GOODPUT] += packet.end - packet.at
    doubles[end + MISSING] += packet.wire - packet.end
    if (packet.time > doubles[last]) doubles[last] = packet.time
    return doubles[low + PACKETS] === 1 && doubles[low + END_WIDTH + PACKETS] === 1 ? ANSWERED : NEW
  }

  /** Flows of one question and one answer are in the `ENDING` queue. */
  #idle(queue: Queue): number {
    const { idle, answered } = this.#kind
    return queue === ENDING ? (answered ?? idle) : idle
  }

  #isOver(index: number, flow: FlowRecord, time: number): boolean {
    const idle = this.#idle(this.#table.queueOf(index))
    // `touchedAt` may be older than the last packet, so `last` decides.
    return time - this.#table.touchedAt(index) > idle && time - flow.last > idle
  }

  #close(index: number, flow: FlowRecord, reason: CloseReason): void {
    this.#table.remove(index)
    flow.close(reason)
    this.#handler.close(flow, flow.last)
  }
}
