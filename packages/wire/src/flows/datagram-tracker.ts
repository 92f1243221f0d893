import type { CloseReason, Transport } from '../flow.ts'
import type { Packet } from '../packet.ts'
import type { StreamHandler } from '../stream-handler.ts'
import type { FlowCeiling } from './flow-ceiling.ts'
import type { FlowMaker } from './flow-maker.ts'
import type { FlowRecord } from './flow-record.ts'
import { ALIVE, ENDING, FlowTable, type Queue } from './flow-table.ts'
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
    const { data, at, time } = packet
    if (!this.#kind.open(packet)) return false
    const ports = this.#kind.ports
    const sourcePort = ports ? (data[at] << 8) | data[at + 1] : 0
    const destinationPort = ports ? (data[at + 2] << 8) | data[at + 3] : 0
    const table = this.#table
    let index = table.find(packet, sourcePort, destinationPort)
    let flow = index < 0 ? undefined : table.get(index)
    if (flow !== undefined && time - flow.last > this.#idle(flow)) {
      this.#close(index, flow, 'idle')
      index = table.find(packet, sourcePort, destinationPort)
      flow = undefined
    }
    const high = table.fromHigh
    if (flow === undefined) {
      this.#ceiling.admit()
      flow = this.#maker.make(packet, this.#kind.transport, {
        sourcePort,
        destinationPort,
        fromHigh: high,
        fromClient: this.#kind.fromClient(packet, sourcePort, destinationPort),
        midstream: false,
      })
      index = table.add(flow, time)
      this.#handler.open(flow)
    } else table.touch(index, time)
    const side = flow.side(high)
    const half = flow.halves[side]
    const wasAnswered = this.#isAnswered(flow)
    flow.count(high, packet.length, time)
    if (wasAnswered !== this.#isAnswered(flow)) table.move(index, wasAnswered ? ALIVE : ENDING, time)
    half.goodput += packet.end - packet.at
    half.missing += packet.wire - packet.end
    this.#handler.datagram(flow, side, packet.data, packet.at, packet.end, packet.wire - packet.at, time)
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
        const idle = this.#idle(flow)
        if (now - this.#table.touchedAt(index) <= idle) break
        if (now - flow.last > idle) this.#close(index, flow, 'idle')
        else this.#table.move(index, queue, flow.last)
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

  #idle(flow: FlowRecord): number {
    const { idle, answered = idle } = this.#kind
    return this.#isAnswered(flow) ? answered : idle
  }

  /** A question and its answer, such as most lookups of names are: a port for each, never used again. */
  #isAnswered({ halves }: FlowRecord): boolean {
    return this.#kind.answered !== undefined && halves[0].packets === 1 && halves[1].packets === 1
  }

  #close(index: number, flow: FlowRecord, reason: CloseReason): void {
    this.#table.remove(index)
    flow.closed = reason
    this.#handler.close(flow, flow.last)
  }
}
