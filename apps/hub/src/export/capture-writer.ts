import {
  PCAP_HEADER_SIZE,
  PCAP_RECORD_OVERHEAD,
  PcapngWriter,
  pcapHeader,
  pcapRecord,
  type WrittenPacket,
} from '@tapdeck/wire'
import type { Output } from './output.ts'

/** Where packets come from: one for each capture and writer. */
export class PacketOrigin {
  readonly node: string
  /** The interface that its last packet was written to, and the link type of that; -1 before the first. */
  link = -1
  id = -1

  constructor(node: string) {
    this.node = node
  }
}

export interface ExportedPacket extends WrittenPacket {
  readonly link: number
}

/** Writes packets in a file format, each to the end of an output. */
export interface CaptureWriter {
  readonly type: string
  readonly extension: string
  /** The bytes before the first packet. Nothing the second time. */
  header(output: Output): void
  /** Origin and link type say where a packet came from; a format may refuse a second link type. */
  packet(output: Output, origin: PacketOrigin, packet: ExportedPacket): void
  /** Keys that a capture carries with it. */
  secrets(output: Output, type: number, data: Uint8Array): void
}

/** A classic pcap file has one link type for all its packets. */
export class SecondLinkType extends Error {
  override readonly name = 'SecondLinkType'
}

const SNAP_LENGTH = 262_144
const ETHERNET = 1

/** Classic pcap: no names, no comments, one link type. */
export class PcapCapture implements CaptureWriter {
  readonly type = 'application/vnd.tcpdump.pcap'
  readonly extension = 'pcap'
  #link: number | undefined

  header(output: Output): void {
    this.#begin(output, ETHERNET)
  }

  packet(output: Output, _origin: PacketOrigin, packet: ExportedPacket): void {
    const { link } = packet
    if (this.#link !== link) this.#begin(output, link)
    if (this.#link !== link) throw new SecondLinkType('The packets have several link types')
    output.reserve(PCAP_RECORD_OVERHEAD + packet.end - packet.start)
    output.used = pcapRecord(output.bytes, output.used, packet)
  }

  secrets(): void {}

  #begin(output: Output, link: number): void {
    if (this.#link !== undefined) return
    this.#link = link
    output.reserve(PCAP_HEADER_SIZE)
    output.used = pcapHeader(output.bytes, output.used, link)
  }
}

/** pcapng with an interface for each node and link type, the names of addresses, and comments. */
export class PcapngCapture implements CaptureWriter {
  readonly type = 'application/x-pcapng'
  readonly extension = 'pcapng'
  readonly #names: ReadonlyMap<string, readonly string[]>
  readonly #writer = new PcapngWriter()
  readonly #interfaces = new Map<string, Map<number, number>>()
  #begun = false

  constructor(names: ReadonlyMap<string, readonly string[]>) {
    this.#names = names
  }

  header(output: Output): void {
    if (this.#begun) return
    this.#begun = true
    this.#writer.section()
    if (this.#names.size > 0) this.#writer.names(this.#names)
    output.append(this.#writer.take())
  }

  packet(output: Output, origin: PacketOrigin, packet: ExportedPacket): void {
    const { link } = packet
    if (origin.link !== link) {
      origin.id = this.#interfaces.get(origin.node)?.get(link) ?? this.#describe(output, origin.node, link)
      origin.link = link
    }
    output.reserve(this.#writer.packetSize(packet.end - packet.start, packet.comment))
    output.used = this.#writer.writePacket(output.bytes, output.used, origin.id, packet)
  }

  secrets(output: Output, type: number, data: Uint8Array): void {
    this.header(output)
    this.#writer.secrets(type, data)
    output.append(this.#writer.take())
  }

  /** Names that were learned since the header. Without any, a block that only shows that the capture goes on. */
  names(output: Output, names: ReadonlyMap<string, readonly string[]>): void {
    this.header(output)
    this.#writer.names(names)
    output.append(this.#writer.take())
  }

  /** What is missing of an origin up to `time` (microseconds); `drops`: packets since the beginning. */
  notice(output: Output, origin: PacketOrigin, time: number, drops: number, comment: string): void {
    if (origin.link < 0) {
      origin.link = ETHERNET
      origin.id = this.#describe(output, origin.node, ETHERNET)
    }
    this.#writer.statistics(origin.id, time, { drops, comment })
    output.append(this.#writer.take())
  }

  #describe(output: Output, name: string, link: number): number {
    this.header(output)
    const id = this.#writer.interface({ link, snaplen: SNAP_LENGTH, name })
    output.append(this.#writer.take())
    const known = this.#interfaces.get(name)
    if (known) known.set(link, id)
    else this.#interfaces.set(name, new Map([[link, id]]))
    return id
  }
}
