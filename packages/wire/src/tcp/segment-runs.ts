import type { FlowTable } from '../flows/flow-table.ts'
import { PROTOCOL } from '../ip/protocol.ts'
import type { Packet } from '../packet.ts'
import type { PacketRun } from '../packet-run.ts'
import type { StreamLimits } from '../stream-limits.ts'
import { PlainSegments } from './plain-segments.ts'
import type { Reassembly } from './reassembly.ts'
import type { RoundTrips } from './round-trips.ts'
import type { TcpConnection } from './tcp-connection.ts'

/** What `TcpTracker` leaves to code: it takes the packets of a run that are plain segments of connections that it was told of. */
export class SegmentRuns {
  readonly #table: FlowTable<number>
  readonly #connection: TcpConnection
  readonly #trips: RoundTrips
  readonly #reassembly: Reassembly
  readonly #limits: StreamLimits
  #segments: PlainSegments | undefined

  constructor(
    table: FlowTable<number>,
    connection: TcpConnection,
    trips: RoundTrips,
    reassembly: Reassembly,
    limits: StreamLimits,
  ) {
    this.#table = table
    this.#connection = connection
    this.#trips = trips
    this.#reassembly = reassembly
    this.#limits = limits
  }

  /** Packets are to come that last. Where nothing is followed yet, all that is will stand where code sees it. */
  begin(): void {
    if (this.#segments === undefined && this.#table.size === 0)
      this.#settle(PlainSegments.borrow(this.#limits))
  }

  /** Nothing is followed any more. */
  end(): void {
    if (this.#segments === undefined) return
    this.#segments.giveBack()
    this.#settle(undefined)
  }

  /** Takes segments up to a packet that is no plain one. `last` is the packet that was taken before. */
  take(run: PacketRun, due: number, last: Packet): void {
    const segments = this.#segments
    if (segments === undefined) return
    if (segments.metStranger) this.#introduce(segments, last)
    const connection = this.#connection
    segments.begin(run)
    while (segments.next(run, due)) {
      const { start, stop, time } = segments
      connection.seat(segments.row)
      const from = segments.fromHigh ? connection.high : connection.low
      this.#reassembly.deliver(connection, from, stop - start, run.data, start, stop, time)
    }
  }

  /** Says in `run` what was taken, and returns its bytes. */
  account(run: PacketRun): number {
    return this.#segments?.account(run) ?? 0
  }

  /** The connection has a new place among those that grow old. */
  touch(row: number, time: number): void {
    this.#segments?.touch(row, time)
  }

  /** The connection is over. */
  forget(row: number): void {
    this.#segments?.forget(row)
  }

  /** The code met a connection that it did not know. That packet was taken without it since: from now on it does. */
  #introduce(segments: PlainSegments, packet: Packet): void {
    segments.metStranger = false
    const { view, at, v6 } = packet
    if (v6 || packet.protocol !== PROTOCOL.tcp || at + 4 > packet.end) return
    const table = this.#table
    const ports = view.getInt32(at)
    const index = table.find(packet, ports >>> 16, ports & 0xffff)
    const row = index < 0 ? undefined : table.get(index)
    if (row === undefined) return
    const source = view.getInt32(packet.src)
    const destination = view.getInt32(packet.dst)
    const isStranger = table.fromHigh
      ? segments.isStranger((ports << 16) | (ports >>> 16), destination, source)
      : segments.isStranger(ports, source, destination)
    if (isStranger) segments.know(row, table.touchedAt(index))
  }

  #settle(segments: PlainSegments | undefined): void {
    this.#segments = segments
    this.#connection.rows.settle(segments?.rows)
    this.#trips.settle(segments?.cells)
  }
}
