import { PacketEnds, PROTOCOL } from '@tapdeck/wire'

/** What is printed of one packet. */
export interface DescribedPacket {
  /** Microseconds since the epoch. */
  readonly time: number
  readonly node?: string
  readonly src?: string
  readonly src_name?: string
  readonly src_port?: number
  readonly dst?: string
  readonly dst_name?: string
  readonly dst_port?: number
  readonly protocol: string
  /** Of TCP, as tcpdump writes them. */
  readonly flags?: string
  /** Bytes after the header of the transport; of other packets, of the frame. */
  readonly length: number
}

const UDP_HEADER = 8
const FLAGS = [
  [0x02, 'S'],
  [0x01, 'F'],
  [0x04, 'R'],
  [0x08, 'P'],
  [0x20, 'U'],
  [0x10, '.'],
] as const
const titles = new Map<number, string>([
  [PROTOCOL.tcp, 'TCP'],
  [PROTOCOL.udp, 'UDP'],
  [PROTOCOL.sctp, 'SCTP'],
  [PROTOCOL.icmp, 'ICMP'],
  [PROTOCOL.icmpv6, 'ICMP6'],
])

/** Describes packets by the innermost of their tunnels. */
export class PacketDescriber {
  readonly #ends = new PacketEnds()
  readonly #nameOf: (ip: string) => string | undefined

  constructor(nameOf: (ip: string) => string | undefined) {
    this.#nameOf = nameOf
  }

  describe(
    data: Uint8Array,
    start: number,
    end: number,
    length: number,
    time: number,
    link: number,
  ): DescribedPacket {
    const ends = this.#ends
    if (!ends.read(data, start, end, length, link)) return { time, protocol: 'other', length }
    const { source, sourcePort, destination, destinationPort, protocol, transport } = ends
    const [src, dst] = [this.#nameOf(source), this.#nameOf(destination)]
    const isTcp = protocol === PROTOCOL.tcp && transport + 14 <= ends.end
    const header = isTcp ? (data[transport + 12]! >> 4) * 4 : protocol === PROTOCOL.udp ? UDP_HEADER : 0
    const hasPorts = sourcePort !== 0 || destinationPort !== 0
    return {
      time,
      src: source,
      ...(src !== undefined && { src_name: src }),
      ...(hasPorts && { src_port: sourcePort }),
      dst: destination,
      ...(dst !== undefined && { dst_name: dst }),
      ...(hasPorts && { dst_port: destinationPort }),
      protocol: titles.get(protocol) ?? `IP protocol ${protocol}`,
      ...(isTcp && { flags: flagsOf(data[transport + 13]!) }),
      length: Math.max(0, ends.end - transport - header),
    }
  }
}

function flagsOf(bits: number): string {
  const set = FLAGS.filter(([bit]) => (bits & bit) !== 0).map(([, flag]) => flag)
  return set.length === 0 ? 'none' : set.join('')
}

/** One line as tcpdump prints it; `clock` is the text of its time. */
export function packetLine(packet: DescribedPacket, clock: string): string {
  const { node, src, src_name, src_port, dst, dst_name, dst_port, protocol, flags, length } = packet
  const at = node === undefined ? '' : ` ${node}`
  if (src === undefined) return `${clock}${at} ${protocol}, length ${length}`
  const end = (ip: string | undefined, name: string | undefined, port: number | undefined) =>
    `${name ?? ip}${port === undefined ? '' : `:${port}`}`
  const ends = `${end(src, src_name, src_port)} > ${end(dst, dst_name, dst_port)}`
  return `${clock}${at} ${ends}: ${protocol}${flags === undefined ? '' : ` [${flags}]`}, length ${length}`
}
