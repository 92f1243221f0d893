import type { FastPaths } from '../accelerated/fast-paths.ts'
import type { PlainSegments } from '../accelerated/plain-segments.ts'
import type { FlowTable } from '../flows/flow-table.ts'
import { PROTOCOL } from '../ip/protocol.ts'
import type { Packet } from '../packet.ts'
import type { PacketRun } from '../packet-run.ts'
import type { StreamLimits } from '../stream-limits.ts'
import type { Reassembly } from './reassembly.ts'
import type { RoundTrips } from './round-trips.ts'
import type { TcpConnection } from './tcp-connection.ts'

/** What `SegmentRuns` shares with its `TcpTracker`. */
interface TrackerState {
  readonly table: FlowTable<number>
  readonly connection: TcpConnection
  readonly trips: RoundTrips
  readonly reassembly: Reassembly
  readonly limits: StreamLimits
}

/** The part of `TcpTracker` that WebAssembly does: plain segments of connections that are registered there. */
export class SegmentRuns {
  readonly #tracker: TrackerState
  readonly #fastPaths: FastPaths
  #segments: PlainSegments | undefined

  constructor(tracker: TrackerState, fastPaths: FastPaths) {
    this.#tracker = tracker
    this.#fastPaths = fastPaths
  }

  /** Stable chunks follow. Uses the fast path if no connection is followed yet: their rows cannot move. */
  begin(): void {
    const { table, limits } = this.#tracker
    if (this.#segments === undefined && table.size === 0)
      this.#useMemory(this.#fastPaths.borrowSegments(limits))
  }

  /** No connection is followed any more. */
  end(): void {
    if (this.#segments === undefined) return
    this.#fastPaths.returnSegments()
    this.#useMemory(undefined)
  }

  /** Takes segments up to a packet that is not a plain one. `last` is the packet that was taken before. */
  take(run: PacketRun, due: number, last: Packet): void {
    const segments = this.#segments
    if (segments === undefined) return
    if (segments.unknownConnection) this.#register(segments, last)
    const { connection, reassembly } = this.#tracker
    segments.begin(run)
    while (segments.next(run, due)) {
      const { start, stop, time } = segments
      connection.select(segments.row)
      const from = segments.fromHigh ? connection.high : connection.low
      reassembly.deliver(connection, from, run.data, start, stop, time)
    }
  }

  /** Adds what was taken to `run`, and returns its bytes. */
  account(run: PacketRun): number {
    return this.#segments?.account(run) ?? 0
  }

  /** The flow table moved the connection in its queue. */
  touch(row: number, time: number): void {
    this.#segments?.touch(row, time)
  }

  /** The connection is over. */
  forget(row: number): void {
    this.#segments?.forget(row)
  }

  /** WebAssembly stopped at an unknown connection. The tracker took that packet since: now its row is known. */
  #register(segments: PlainSegments, packet: Packet): void {
    segments.unknownConnection = false
    const { view, at, v6 } = packet
    if (v6 || packet.protocol !== PROTOCOL.tcp || at + 4 > packet.end) return
    const { table } = this.#tracker
    const ports = view.getInt32(at)
    const index = table.find(packet, ports >>> 16, ports & 0xffff)
    const row = index < 0 ? undefined : table.get(index)
    if (row === undefined) return
    const source = view.getInt32(packet.src)
    const destination = view.getInt32(packet.dst)
    const isSame = table.fromHigh
      ? segments.isUnknownKey((ports << 16) | (ports >>> 16), destination, source)
      : segments.isUnknownKey(ports, source, destination)
    if (isSame) segments.register(row, table.touchedAt(index))
  }

  #useMemory(segments: PlainSegments | undefined): void {
    this.#segments = segments
    this.#tracker.connection.rows.useMemory(segments?.rows)
    this.#tracker.trips.useMemory(segments?.cells)
  }
}
