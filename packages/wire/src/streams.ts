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
import { openLink } from './link/open-link.ts'
import type { Loss } from './loss.ts'
import { Packet } from './packet.ts'
import { MAX_FRAME, MAX_TUNNELS } from './packet-bounds.ts'
import type { PacketRun } from './packet-run.ts'
import type { PacketSink } from './packet-sink.ts'
import { SctpTracker } from './sctp/sctp-tracker.ts'
import { flowOwner } from './shard/flow-owner.ts'
import { leaveOutForeign } from './shard/foreign-packets.ts'
import { isLookupPort } from './shard/is-lookup-port.ts'
import type { Shard } from './shard/shard.ts'
import type { StagedRecords } from './staged-records.ts'
import type { StreamHandler } from './stream-handler.ts'
import { DEFAULT_STREAM_LIMITS, type StreamLimits } from './stream-limits.ts'
import { SweepClock } from './sweep-clock.ts'
import { Reassembly } from './tcp/reassembly.ts'
import { TcpTracker } from './tcp/tcp-tracker.ts'
import { openGre } from './tunnel/gre.ts'
import { openOverlay, PLAIN } from './tunnel/overlay.ts'

export interface StreamOptions {
  readonly limits?: Partial<StreamLimits>
  /** Where to count what was lost; a ledger of its own where not given. */
  readonly loss?: Loss
  /** Only the flows of this shard are followed. It is given all packets, so that time goes on for all shards alike. */
  readonly shard?: Shard
  /** Follows the lookups of names among the flows of other shards: what they tell counts for the flows of this one, too. */
  readonly lookups?: Streams
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
  readonly #lookups: Streams | undefined
  /** Of shards that see the same packets, one counts what is wrong with those that are nobody's. */
  readonly #countsAll: boolean

  constructor(handler: StreamHandler, options: StreamOptions = {}) {
    const limits: StreamLimits = { ...DEFAULT_STREAM_LIMITS, ...options.limits }
    const loss = options.loss ?? {}
    const maker = new FlowMaker()
    this.loss = loss
    this.#handler = handler
    this.#shard = options.shard
    this.#lookups = options.lookups
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

  /** Flows that are followed, with those that are over and only remembered for late packets. */
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

  /** The packets to come stand in bytes that last, and that have a shadow. */
  lasting(): void {
    this.#tcp.runs.begin()
  }

  run(run: PacketRun): void {
    const { runs } = this.#tcp
    const before = run.packets
    try {
      runs.take(run, this.#clock.next, this.#packet)
    } finally {
      this.bytes += runs.account(run)
      this.packets += run.packets - before
    }
  }

  get sifts(): boolean {
    return this.#shard !== undefined
  }

  sift(records: StagedRecords): void {
    if (this.#shard === undefined) return
    leaveOutForeign(records, this.#shard, this.#lookups !== undefined, this.#clock.next)
    this.packets += records.packets
    this.bytes += records.bytes
  }

  /**
   * Closes what is idle and gives up what was waited for too long at `now`. Packets do this as their time goes on;
   * whoever captures live calls it where none come. A clock that jumped back starts the waits anew.
   */
  advance(now: number): void {
    this.#clock.taken(now)
    this.#sweep(now)
  }

  /** A protocol found that the guess was wrong: client and server of the flow change places. */
  flip(flow: Flow): void {
    if (flow instanceof FlowRecord) flow.flip()
  }

  /** No more packets will come: hands on what is held and closes all flows. */
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

  /** Opens IP headers and the tunnels inside them until there is a transport that is followed. */
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
    const { index, count } = this.#shard!
    if (flowOwner(packet, hasPorts, count) === index) return true
    if (this.#lookups !== undefined && hasPorts) this.#lookups.#lookup(packet)
    return false
  }

  /** A packet that another has opened; what is wrong with it counts its owner. */
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

  /** A packet of ours with headers that make no sense; where the capture cut them, that is already counted. */
  #refuse(packet: Packet): void {
    if (!packet.cut) this.loss.malformed_packets = (this.loss.malformed_packets ?? 0) + 1
  }

  /** The same where nobody can tell whose it is. */
  #malformed(): void {
    if (this.#countsAll) this.loss.malformed_packets = (this.loss.malformed_packets ?? 0) + 1
  }

  #ignore(): void {
    if (this.#countsAll) this.loss.unknown_packets = (this.loss.unknown_packets ?? 0) + 1
  }
}
