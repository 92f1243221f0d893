import type { ByteBudget } from '../byte-budget.ts'
import type { Datagram } from '../datagram.ts'
import type { CloseReason } from '../flow.ts'
import type { FlowCeiling } from '../flows/flow-ceiling.ts'
import {
  BYTES,
  END_COUNTS,
  FlowCounterTable,
  GOODPUT,
  LAST,
  MISSING,
  PACKETS,
} from '../flows/flow-counter-table.ts'
import type { FlowMaker } from '../flows/flow-maker.ts'
import type { FlowRecord } from '../flows/flow-record.ts'
import { ALIVE, FlowTable, QUEUES, type Queue } from '../flows/flow-table.ts'
import type { Tracker } from '../flows/tracker.ts'
import type { Loss } from '../loss.ts'
import type { Packet } from '../packet.ts'
import type { StreamHandler } from '../stream-handler.ts'
import type { StreamLimits } from '../stream-limits.ts'
import { CHUNK, COMMON_HEADER, DATA_HEADER, FIRST_PART, INTERLEAVED_HEADER, LAST_PART } from './sctp-chunk.ts'
import { SctpSide } from './sctp-side.ts'

const PART_OVERHEAD = 160

class Association {
  readonly flow: FlowRecord
  readonly sides: readonly [SctpSide, SctpSide] = [new SctpSide(), new SctpSide()]
  index = -1
  /** Only the INIT of the client was seen. */
  asking = false
  initTag = 0

  constructor(flow: FlowRecord) {
    this.flow = flow
  }
}

/** Follows SCTP associations between one pair of addresses (RFC 9260): each whole user message is a datagram. */
export class SctpTracker implements Tracker {
  readonly #table = new FlowTable<Association>()
  readonly #rows = new FlowCounterTable()
  readonly #handler: StreamHandler
  readonly #maker: FlowMaker
  readonly #ceiling: FlowCeiling
  readonly #budget: ByteBudget
  readonly #limits: StreamLimits
  readonly #loss: Loss

  constructor(
    handler: StreamHandler,
    maker: FlowMaker,
    ceiling: FlowCeiling,
    budget: ByteBudget,
    limits: StreamLimits,
    loss: Loss,
  ) {
    this.#handler = handler
    this.#maker = maker
    this.#ceiling = ceiling
    this.#budget = budget
    this.#limits = limits
    this.#loss = loss
    ceiling.join(this)
  }

  get size(): number {
    return this.#table.size
  }

  take(packet: Packet): boolean {
    const { data, at } = packet
    const first = at + COMMON_HEADER
    if (first + 4 > packet.end) return false
    const association = this.#find(
      packet,
      data[first],
      (data[at] << 8) | data[at + 1],
      (data[at + 2] << 8) | data[at + 3],
    )
    if (association === undefined) return true
    const high = this.#table.fromHigh
    const { row } = association.flow
    const doubles = this.#rows.doubles(row)
    const numbers = this.#rows.at(row)
    const end = high ? numbers + END_COUNTS : numbers
    doubles[end + PACKETS]++
    doubles[end + BYTES] += packet.length
    const last = numbers + 2 * END_COUNTS + LAST
    if (packet.time > doubles[last]) doubles[last] = packet.time
    let chunk = first
    while (chunk + 4 <= packet.end) {
      const length = (data[chunk + 2] << 8) | data[chunk + 3]
      if (length < 4) return false
      this.#chunk(association, packet, high, chunk, length)
      if (association.flow.closed !== undefined) return true
      chunk += length + (-length & 3)
    }
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
    for (const queue of QUEUES) {
      const idle = queue === ALIVE ? this.#limits.sctpIdle : this.#limits.linger
      for (;;) {
        const index = this.#table.oldest(queue)
        if (index < 0 || now - this.#table.touchedAt(index) <= idle) break
        const flow = this.#table.get(index)?.flow
        if (flow === undefined || now - flow.last > idle) this.#remove(index, 'idle')
        else this.#table.move(index, queue, flow.last)
      }
    }
  }

  end(): void {
    for (const queue of QUEUES)
      for (let index = this.#table.oldest(queue); index >= 0; index = this.#table.oldest(queue))
        this.#remove(index, 'end-of-capture')
  }

  /** The association of a packet whose first chunk is of `type`; undefined for a late packet of one that is over. */
  #find(packet: Packet, type: number, sourcePort: number, destinationPort: number): Association | undefined {
    const table = this.#table
    const { time, data } = packet
    let index = table.find(packet, sourcePort, destinationPort)
    const known = index < 0 ? undefined : table.get(index)
    const tag = type === CHUNK.init ? tagAt(data, packet.at + COMMON_HEADER + 4) : 0
    if (known !== undefined) {
      const idle = time - known.flow.last > this.#limits.sctpIdle
      const restart = type === CHUNK.init && known.initTag !== tag && !known.asking
      if (!idle && !restart) {
        table.touch(index, time)
        return known
      }
      this.#remove(index, idle ? 'idle' : 'reused')
    } else if (index >= 0) {
      if (type !== CHUNK.init && time - table.touchedAt(index) <= this.#limits.linger) return undefined
      table.remove(index)
    }
    this.#ceiling.admit()
    index = table.find(packet, sourcePort, destinationPort)
    const opening = type === CHUNK.init || type === CHUNK.initAck
    const kind = this.#maker.kind(packet, 'sctp', !opening, this.#rows)
    const fromClient = opening ? type === CHUNK.init : sourcePort >= destinationPort
    const association = new Association(
      this.#maker.make(packet, kind, sourcePort, destinationPort, table.fromHigh, fromClient),
    )
    association.asking = type === CHUNK.init
    association.initTag = tag
    association.index = table.add(association, time)
    this.#handler.open(association.flow)
    return association
  }

  #chunk(association: Association, packet: Packet, high: boolean, at: number, length: number): void {
    const { flow } = association
    switch (packet.data[at]) {
      case CHUNK.data:
        this.#data(association, packet, high, at, length, DATA_HEADER)
        return
      case CHUNK.interleavedData:
        this.#data(association, packet, high, at, length, INTERLEAVED_HEADER)
        return
      case CHUNK.init:
        return
      case CHUNK.shutdown:
        flow.closedBy ??= flow.side(high)
        break
      case CHUNK.abort:
        flow.closedBy ??= flow.side(high)
        this.#close(
          association,
          association.asking && flow.side(high) === 1 ? 'refused' : 'reset',
          packet.time,
        )
        return
      case CHUNK.shutdownComplete:
        this.#close(association, 'fin', packet.time)
        return
    }
    association.asking = false
  }

  #data(
    association: Association,
    packet: Packet,
    high: boolean,
    at: number,
    length: number,
    header: number,
  ): void {
    const { data } = packet
    if (length < header || at + header > packet.end) {
      this.#loss.malformed_packets = (this.#loss.malformed_packets ?? 0) + 1
      return
    }
    association.asking = false
    const tsn = tagAt(data, at + 4)
    const side = association.sides[high ? 1 : 0]
    if (!side.isNew(tsn)) return
    const start = at + header
    const end = Math.min(packet.end, at + length)
    const flags = data[at + 1]
    if ((flags & (FIRST_PART | LAST_PART)) === (FIRST_PART | LAST_PART)) {
      this.#deliver(association, high, { data, at: start, end, wire: at + length, time: packet.time })
      return
    }
    // Parts of interleaved messages have no adjacent numbers. They are rare.
    if (header === INTERLEAVED_HEADER) {
      this.#loss.unknown_packets = (this.#loss.unknown_packets ?? 0) + 1
      return
    }
    const first = (flags & FIRST_PART) !== 0
    const last = (flags & LAST_PART) !== 0
    this.#book(side, end - start + PART_OVERHEAD)
    side.parts.set(tsn, { first, last, bytes: data.slice(start, end), length: length - header })
    const whole = side.whole(tsn)
    if (whole !== undefined) this.#assemble(association, high, side, whole[0], whole[1], packet.time)
    else if (side.cost > this.#limits.heldPerSide || this.#budget.exhausted) this.#dropParts(side)
  }

  #assemble(
    association: Association,
    high: boolean,
    side: SctpSide,
    first: number,
    last: number,
    time: number,
  ): void {
    const parts: Uint8Array[] = []
    let length = 0
    let captured = 0
    let cut = false
    for (let tsn = first; ; tsn = (tsn + 1) | 0) {
      const part = side.parts.get(tsn)
      if (part === undefined) return
      side.parts.delete(tsn)
      this.#book(side, -part.bytes.length - PART_OVERHEAD)
      if (!cut) {
        parts.push(part.bytes)
        captured += part.bytes.length
      }
      cut ||= part.bytes.length < part.length
      length += part.length
      if (tsn === last) break
    }
    const data = new Uint8Array(captured)
    let at = 0
    for (const part of parts) {
      data.set(part, at)
      at += part.length
    }
    this.#deliver(association, high, { data, at: 0, end: captured, wire: length, time })
  }

  #deliver({ flow }: Association, high: boolean, message: Datagram): void {
    const doubles = this.#rows.doubles(flow.row)
    const at = this.#rows.at(flow.row) + (high ? END_COUNTS : 0)
    doubles[at + GOODPUT] += message.end - message.at
    doubles[at + MISSING] += message.wire - message.end
    this.#handler.datagram(flow, flow.side(high), message)
  }

  #book(side: SctpSide, bytes: number): void {
    side.cost += bytes
    this.#budget.book(bytes)
  }

  #dropParts(side: SctpSide): void {
    this.#loss.reassembly_overflow = (this.#loss.reassembly_overflow ?? 0) + side.parts.size
    this.#forget(side)
  }

  #forget(side: SctpSide): void {
    side.parts.clear()
    this.#book(side, -side.cost)
  }

  #close(association: Association, reason: CloseReason, time: number): void {
    this.#table.release(association.index, time)
    this.#conclude(association, reason, time)
  }

  #remove(index: number, reason: CloseReason): void {
    const association = this.#table.get(index)
    this.#table.remove(index)
    if (association !== undefined) this.#conclude(association, reason, association.flow.last)
  }

  #conclude(association: Association, reason: CloseReason, time: number): void {
    for (const side of association.sides) this.#forget(side)
    association.flow.close(reason)
    this.#handler.close(association.flow, time)
  }
}

function tagAt(data: Uint8Array, at: number): number {
  return (data[at] << 24) | (data[at + 1] << 16) | (data[at + 2] << 8) | data[at + 3]
}
