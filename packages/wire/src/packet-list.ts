import { formatIPv4, formatIPv6 } from '@tapdeck/ip'
import { PcapngFile } from './capture-file/pcapng-file.ts'
import { PROTOCOL } from './ip/protocol.ts'
import { openTransport } from './open-transport.ts'
import { Packet } from './packet.ts'

/** One packet for a person to read. */
export interface ListedPacket {
  /** Microseconds since the epoch. */
  readonly time: number
  /** Bytes on the wire; `bytes` has fewer where the capture cut the packet. */
  readonly length: number
  readonly bytes: Uint8Array
  /** Absent where no transport was found. */
  readonly ends?: {
    readonly protocol: 'tcp' | 'udp' | 'sctp' | 'icmp'
    readonly source: string
    readonly sourcePort: number
    readonly destination: string
    readonly destinationPort: number
  }
  readonly tcp?: {
    /** As `SYN, ACK`. */
    readonly flags: string
    readonly sequence: number
    readonly acknowledgment: number
    readonly window: number
  }
  /** Where in `bytes` the headers begin, and the payload after them. Tunnels are part of `link`. */
  readonly layers: readonly {
    readonly name: 'link' | 'ip' | 'transport' | 'payload'
    readonly from: number
  }[]
}

export interface PacketList {
  readonly packets: readonly ListedPacket[]
  /** Packets after the first `max`. */
  readonly unlisted: number
}

const NAMES = {
  [PROTOCOL.tcp]: 'tcp',
  [PROTOCOL.udp]: 'udp',
  [PROTOCOL.sctp]: 'sctp',
  [PROTOCOL.icmp]: 'icmp',
  [PROTOCOL.icmpv6]: 'icmp',
} as const
const FLAGS = ['FIN', 'SYN', 'RST', 'PSH', 'ACK', 'URG', 'ECE', 'CWR']
/** RFC 9293, 768, 9260 and 792: bytes of the header; that of TCP is in its fifth word. */
const HEADERS = { tcp: 20, udp: 8, sctp: 12, icmp: 8 } as const

/** The first `max` packets of a pcapng file, each with its headers read. A file that ends within a block gives those before. */
export function listPackets(file: Uint8Array, max: number): PacketList {
  const packets: ListedPacket[] = []
  let unlisted = 0
  const reader = new PcapngFile(
    {
      packet(data, start, end, length, time, link) {
        if (packets.length < max) packets.push(readPacket(data.slice(start, end), length, time, link))
        else unlisted++
      },
    },
    {},
  )
  reader.walk(file, 0, file.length)
  return { packets, unlisted }
}

function readPacket(bytes: Uint8Array, length: number, time: number, link: number): ListedPacket {
  const packet = new Packet()
  packet.begin(bytes, 0, bytes.length, length, time)
  const found = openTransport(packet, link)
  const protocol = NAMES[found as keyof typeof NAMES]
  if (protocol === undefined) return { time, length, bytes, layers: [{ name: 'link', from: 0 }] }
  const { at, ip, src, dst, v6, end, view } = packet
  const hasPorts = protocol !== 'icmp' && at + 4 <= end
  const isTcp = protocol === 'tcp' && at + HEADERS.tcp <= end
  const payload = at + (isTcp ? (bytes[at + 12]! >> 4) * 4 : HEADERS[protocol])
  const text = v6 ? formatIPv6 : formatIPv4
  return {
    time,
    length,
    bytes,
    ends: {
      protocol,
      source: text(bytes, src),
      sourcePort: hasPorts ? view.getUint16(at) : 0,
      destination: text(bytes, dst),
      destinationPort: hasPorts ? view.getUint16(at + 2) : 0,
    },
    ...(isTcp && {
      tcp: {
        flags: FLAGS.filter((_, bit) => (bytes[at + 13]! >> bit) & 1).join(', '),
        sequence: view.getUint32(at + 4),
        acknowledgment: view.getUint32(at + 8),
        window: view.getUint16(at + 14),
      },
    }),
    layers: [
      { name: 'link', from: 0 },
      { name: 'ip', from: ip },
      { name: 'transport', from: at },
      ...(payload < end ? [{ name: 'payload' as const, from: payload }] : []),
    ],
  }
}
