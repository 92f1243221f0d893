import type { CloseReason, Transport } from '../flow.ts'
import type { Packet } from '../packet.ts'
import type { StreamHandler } from '../stream-handler.ts'
import type { FlowCeiling } from './flow-ceiling.ts'
import type { FlowMaker } from './flow-maker.ts'
import type { FlowRecord } from './flow-record.ts'
import { ALIVE, ENDING, FlowTable, type Queue } from './flow-table.ts'
import { BYTES, END_COUNTS, GOODPUT, LAST, MISSING, NumberRows, PACKETS } from './number-rows.ts'
import type { Tracker } from './tracker.ts'

/** What `DatagramTracker` needs to know of a transport to follow it. */
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

/** Those that go on, and those that probably have ended. */
const QUEUES = [ALIVE, ENDING] as const

/** Flows of a transport without connections: they open with the first packet and end when no more come. */
export class DatagramTracker implements Tracker {
  readonly #table = new FlowTable<FlowRecord>()
  readonly #rows = new NumberRows()
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
    const table = this.#table
    let index = table.find(packet, sourcePort, destinationPort)
    let flow = index < 0 ? undefined : table.get(index)
    let wasAnswered = false
    if (flow !== undefined) {
      wasAnswered = this.#isAnswered(flow)
      if (time - this.#last(flow) <= this.#idle(wasAnswered)) table.touch(index, time)
      else {
        this.#close(index, flow, 'idle')
        table.find(packet, sourcePort, destinationPort)
        flow = undefined
      }
    }
    const high = table.fromHigh
    if (flow === undefined) {
      wasAnswered = false
      this.#ceiling.admit()
      flow = this.#maker.make(
        packet,
        this.#kind.transport,
        sourcePort,
        destinationPort,
        high,
        this.#kind.fromClient(packet, sourcePort, destinationPort),
        false,
        this.#rows,
      )
      index = table.add(flow, time)
      this.#handler.open(flow)
    }
    this.#count(flow, high, packet)
    if (wasAnswered !== this.#isAnswered(flow)) table.move(index, wasAnswered ? ALIVE : ENDING, time)
    const { at, end, wire } = packet
    this.#handler.datagram(flow, flow.side(high), packet.data, at, end, wire - at, time)
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
        const idle = this.#idle(this.#isAnswered(flow))
        if (now - this.#table.touchedAt(index) <= idle) break
        const last = this.#last(flow)
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

  #count({ row }: FlowRecord, high: boolean, packet: Packet): void {
    const doubles = this.#rows.doubles(row)
    const low = this.#rows.at(row)
    const end = high ? low + END_COUNTS : low
    doubles[end + PACKETS]++
    doubles[end + BYTES] += packet.length
    doubles[end + GOODPUT] += packet.end - packet.at
    doubles[end + MISSING] += packet.wire - packet.end
    const last = low + 2 * END_COUNTS + LAST
    if (packet.time > doubles[last]) doubles[last] = packet.time
  }

  #idle(isAnswered: boolean): number {
    const { idle, answered } = this.#kind
    return answered !== undefined && isAnswered ? answered : idle
  }

  /** When the last packet of a flow came that is followed. */
  #last({ row }: FlowRecord): number {
    return this.#rows.doubles(row)[this.#rows.at(row) + 2 * END_COUNTS + LAST]
  }

  /** A question and its answer, such as most lookups of names are: a port for each, never used again. */
  #isAnswered({ row }: FlowRecord): boolean {
    if (this.#kind.answered === undefined) return false
    const low = this.#rows.at(row)
    const doubles = this.#rows.doubles(row)
    return doubles[low + PACKETS] === 1 && doubles[low + END_COUNTS + PACKETS] === 1
  }

  #close(index: number, flow: FlowRecord, reason: CloseReason): void {
    this.#table.remove(index)
    flow.close(reason)
    this.#handler.close(flow, flow.last)
  }
}
