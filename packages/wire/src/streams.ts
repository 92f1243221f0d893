import { type FastPaths, threadFastPaths } from './accelerated/fast-paths.ts'
import { ByteBudget } from './byte-budget.ts'
import { BROKEN, ETHER } from './ether-type.ts'
import type { Flow } from './flow.ts'
import { DatagramTracker } from './flows/datagram-tracker.ts'
import { FlowCeiling } from './flows/flow-ceiling.ts'
import { FlowMaker } from './flows/flow-maker.ts'
import { FlowRecord } from './flows/flow-record.ts'
import { icmp } from './flows/icmp.ts'
import { udp } from './flows/udp.ts'
import { Fragments } from './ip/fragments.ts'
import { openIPv4 } from './ip/ipv4.ts'
import { openExtensions, openIPv6 } from './ip/ipv6.ts'
import { PROTOCOL } from './ip/protocol.ts'
import { openTags } from './link/ethernet.ts'
import { openLink } from './link/open-link.ts'
import type { Loss } from './loss.ts'
import { Packet } from './packet.ts'
import { MAX_FRAME, MAX_TUNNELS } from './packet-bounds.ts'
import type { PacketSink } from './packet-sink.ts'
import type { RecordBatch } from './record-batch.ts'
import { SctpTracker } from './sctp/sctp-tracker.ts'
import { ConnectionOwners } from './shard/connection-owners.ts'
import { isLookupPort } from './shard/is-lookup-port.ts'
import type { Shard } from './shard/shard.ts'
import type { StreamHandler } from './stream-handler.ts'
import { DEFAULT_STREAM_LIMITS, type StreamLimits } from './stream-limits.ts'
import { SweepClock } from './sweep-clock.ts'
import { Reassembly } from './tcp/reassembly.ts'
import { TcpTracker } from './tcp/tcp-tracker.ts'
import { openGre } from './tunnel/gre.ts'
import { openOverlay, PLAIN } from './tunnel/overlay.ts'

export interface StreamOptions {
  readonly limits?: Partial<StreamLimits>
  /** Where to count loss; default: an object of its own. */
  readonly loss?: Loss
  /** Follow only the flows of this shard. It receives all packets, so that packet time is the same in all shards. */
  readonly shard?: Shard
  /** Follows the DNS flows of other shards: their names apply to the flows of this shard too. */
  readonly lookups?: Streams
  /** The WebAssembly fast paths; default: those of this thread. */
  readonly fastPaths?: FastPaths
}

/**
 * Packets in, flows with ordered bytes out. Reads no clock: what is late or idle is decided by the times of the
 * packets, so the same packets give the same events whenever they are read.
 */
export class Streams implements PacketSink {
  packets = 0
  bytes = 0
  readonly loss: Loss
  readonly #packet = new Packet()
  readonly #tcp: TcpTracker
  readonly #udp: DatagramTracker
  readonly #icmp: DatagramTracker
  readonly #sctp: SctpTracker
  readonly #fragments: Fragments
  readonly #ceiling: FlowCeiling
  readonly #held: ByteBudget
  readonly #fragmentBytes: ByteBudget
  readonly #handler: StreamHandler
  readonly #clock = new SweepClock()
  readonly #shard: Shard | undefined
  readonly #owners: ConnectionOwners
  readonly #lookups: Streams | undefined
  readonly #fastPaths: FastPaths
  /** Shard 0 counts the malformed packets that belong to no shard. */
  readonly #countsAll: boolean

  constructor(handler: StreamHandler, options: StreamOptions = {}) {
    const limits: StreamLimits = { ...DEFAULT_STREAM_LIMITS, ...options.limits }
    const loss = options.loss ?? {}
    const maker = new FlowMaker()
    this.loss = loss
    this.#handler = handler
    this.#shard = options.shard
    this.#owners = new ConnectionOwners(options.shard?.count ?? 1)
    this.#lookups = options.lookups
    this.#fastPaths = options.fastPaths ?? threadFastPaths
    this.#countsAll = (options.shard?.index ?? 0) === 0
    this.#held = new ByteBudget(limits.held)
    this.#fragmentBytes = new ByteBudget(limits.fragments)
    this.#ceiling = new FlowCeiling(limits.flows, loss)
    this.#fragments = new Fragments(
      this.#fragmentBytes,
      limits.fragmentedDatagrams,
      limits.fragmentWait,
      this.#countsAll ? loss : {},
    )
    const reassembly = new Reassembly(handler, loss, this.#held, limits)
    this.#tcp = new TcpTracker(handler, reassembly, maker, this.#ceiling, limits)
    this.#udp = new DatagramTracker(udp(limits.udpIdle, limits.udpAnswered), handler, maker, this.#ceiling)
    this.#icmp = new DatagramTracker(icmp(limits.icmpIdle), handler, maker, this.#ceiling)
    this.#sctp = new SctpTracker(handler, maker, this.#ceiling, this.#held, limits, loss)
  }

  /** Packets that were captured more than once, and count once. */
  get duplicateCaptures(): number {
    return this.#tcp.copies + this.#udp.copies + this.#icmp.copies
  }

  /** Flows in the table, including closed ones that are remembered for late packets. */
  get flowCount(): number {
    return this.#ceiling.size
  }

  /** Memory of segments and fragments that wait for others. */
  get bufferedBytes(): number {
    return this.#held.used + this.#fragmentBytes.used
  }

  packet(data: Uint8Array, start: number, end: number, length: number, time: number, link: number): void {
    this.packets++
    if (length > MAX_FRAME || !(time >= 0)) {
      this.#malformed()
      return
    }
    this.bytes += length
    if (this.#clock.due(time)) this.#sweep(time)
    const packet = this.#packet
    packet.begin(data, start, end, length, time)
    if (length > end - start) this.#cut(packet)
    this.#network(packet, openLink(packet, link))
  }

  get dropsForeignPackets(): boolean {
    return this.#shard !== undefined
  }

  dropForeignPackets(records: RecordBatch): void {
    if (this.#shard === undefined) return
    const { foreignPackets } = this.#fastPaths
    foreignPackets.drop(records, this.#shard, {
      lookups: this.#lookups !== undefined,
      moved: this.#owners.moved,
      due: this.#clock.next,
    })
    this.packets += records.packets
    this.bytes += records.bytes
  }

  /**
   * Closes idle flows and gives up gaps that have waited too long at `now`. Packets do this as their time advances; live
   * capture calls it while no packets come. After a clock that jumped back, all waits start again.
   */
  advance(now: number): void {
    this.#clock.taken(now)
    this.#sweep(now)
  }

  /** A protocol found the guess wrong: swaps client and server of the flow. */
  flip(flow: Flow): void {
    if (flow instanceof FlowRecord) flow.flip()
  }

  /** No more packets will come: delivers held bytes and closes all flows. */
  end(): void {
    this.#fragments.clear()
    this.#tcp.end()
    this.#sctp.end()
    this.#udp.end()
    this.#icmp.end()
    this.#lookups?.end()
  }

  #sweep(now: number): void {
    this.#tcp.sweep(now)
    this.#sctp.sweep(now)
    this.#udp.sweep(now)
    this.#icmp.sweep(now)
    this.#fragments.expire(now)
    this.#handler.advance?.(now)
    if (this.#lookups !== undefined) this.#lookups.#sweep(now)
  }

  /** Opens IP headers and tunnels until it finds a transport that is followed. */
  #network(packet: Packet, first: number): void {
    let type = first
    for (let depth = 0; depth <= MAX_TUNNELS; depth++) {
      if (type !== ETHER.ipv4 && type !== ETHER.ipv6 && type !== BROKEN) {
        this.#ignore()
        return
      }
      if (type === BROKEN || !(type === ETHER.ipv4 ? openIPv4(packet) : openIPv6(packet))) break
      if (packet.wire > packet.end && !packet.cut) this.#cut(packet)
      if (packet.fragment) {
        if (!this.#fragments.take(packet)) return
        if (packet.v6 && !openExtensions(packet)) break
      }
      type = this.#transport(packet)
      if (type === PLAIN) return
    }
    if (!packet.cut) this.#malformed()
  }

  /** Hands the packet to its tracker; returns `PLAIN` when done, or the EtherType of what a tunnel carries. */
  #transport(packet: Packet): number {
    switch (packet.protocol) {
      case PROTOCOL.tcp:
        if (this.#shard !== undefined && !this.#isMine(packet, true)) return PLAIN
        if (!this.#tcp.take(packet)) this.#refuse(packet)
        return PLAIN
      case PROTOCOL.udp:
        return this.#datagram(packet)
      case PROTOCOL.icmp:
      case PROTOCOL.icmpv6:
        if (this.#shard !== undefined && !this.#isMine(packet, false)) return PLAIN
        if (!this.#icmp.take(packet)) this.#refuse(packet)
        return PLAIN
      case PROTOCOL.sctp:
        if (this.#shard !== undefined && !this.#isMine(packet, true)) return PLAIN
        if (!this.#sctp.take(packet)) this.#refuse(packet)
        return PLAIN
      case PROTOCOL.gre:
        return openGre(packet)
      case PROTOCOL.mpls:
        packet.enterTunnel('mpls', -1)
        return openTags(packet, ETHER.mpls)
      case PROTOCOL.ipip:
        packet.enterTunnel('ipip', -1)
        return ETHER.ipv4
      case PROTOCOL.ipv6:
        packet.enterTunnel('ipip', -1)
        return ETHER.ipv6
      case PROTOCOL.authentication:
        if (packet.v6 || !openExtensions(packet)) break
        return this.#transport(packet)
    }
    this.#ignore()
    return PLAIN
  }

  #datagram(packet: Packet): number {
    const { data, at } = packet
    if (at + 8 <= packet.end) {
      packet.at = at + 8
      const inner = openOverlay(packet, (data[at + 2] << 8) | data[at + 3])
      if (inner !== PLAIN) return inner
      packet.at = at
    }
    if (this.#shard !== undefined && !this.#isMine(packet, true)) return PLAIN
    if (!this.#udp.take(packet)) this.#refuse(packet)
    return PLAIN
  }

  #isMine(packet: Packet, hasPorts: boolean): boolean {
    if (this.#owners.ownerOf(packet, hasPorts) === this.#shard!.index) return true
    if (this.#lookups !== undefined && hasPorts) this.#lookups.#lookup(packet)
    return false
  }

  /** A packet of another shard, already parsed. Its owner counts its errors. */
  #lookup(packet: Packet): void {
    const { data, at } = packet
    if (at + 4 > packet.end) return
    if (!isLookupPort((data[at] << 8) | data[at + 1]) && !isLookupPort((data[at + 2] << 8) | data[at + 3]))
      return
    if (packet.protocol === PROTOCOL.tcp) this.#tcp.take(packet)
    else if (packet.protocol === PROTOCOL.udp) this.#udp.take(packet)
  }

  #cut(packet: Packet): void {
    packet.cut = true
    if (this.#countsAll) this.loss.cut_packets = (this.loss.cut_packets ?? 0) + 1
  }

  /** Counts a packet of this shard with malformed headers. Packets that the capture cut are counted already. */
  #refuse(packet: Packet): void {
    if (!packet.cut) this.loss.malformed_packets = (this.loss.malformed_packets ?? 0) + 1
  }

  /** Counts a malformed packet that belongs to no shard. */
  #malformed(): void {
    if (this.#countsAll) this.loss.malformed_packets = (this.loss.malformed_packets ?? 0) + 1
  }

  #ignore(): void {
    if (this.#countsAll) this.loss.unknown_packets = (this.loss.unknown_packets ?? 0) + 1
  }
}
