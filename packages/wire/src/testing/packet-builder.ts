import { parseAddress } from '../parse-address.ts'

/** Builds frames byte by byte for tests. Addresses are text, so that a test reads like a capture. */

export const FLAG = { fin: 1, syn: 2, rst: 4, psh: 8, ack: 16, urg: 32 } as const

export interface TcpFields {
  readonly src: string
  readonly dst: string
  readonly sport: number
  readonly dport: number
  readonly seq?: number
  readonly ack?: number
  /** Bits of `FLAG`; default: ACK. */
  readonly flags?: number
  readonly window?: number
  /** Raw TCP options; padded to a multiple of four. */
  readonly options?: Uint8Array
  readonly payload?: Uint8Array | string
  /** Identification of the IPv4 packet; default: 0. */
  readonly id?: number
}

export interface UdpFields {
  readonly src: string
  readonly dst: string
  readonly sport: number
  readonly dport: number
  readonly payload?: Uint8Array | string
  readonly id?: number
}

export function bytes(value: Uint8Array | string | undefined): Uint8Array {
  return value === undefined
    ? new Uint8Array(0)
    : typeof value === 'string'
      ? new TextEncoder().encode(value)
      : value
}

export function concat(...parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, part) => sum + part.length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

export function be16(value: number): Uint8Array {
  return Uint8Array.of(value >>> 8, value)
}

export function be32(value: number): Uint8Array {
  return Uint8Array.of(value >>> 24, value >>> 16, value >>> 8, value)
}

/** An Ethernet II frame; short ones are padded to 60 bytes as network cards do. */
export function ethernet(etherType: number, payload: Uint8Array, vlans: readonly number[] = []): Uint8Array {
  const tags = vlans.map((vlan) => concat(be16(0x8100), be16(vlan)))
  const frame = concat(Uint8Array.of(2, 0, 0, 0, 0, 1, 2, 0, 0, 0, 0, 2), ...tags, be16(etherType), payload)
  return frame.length < 60 ? concat(frame, new Uint8Array(60 - frame.length)) : frame
}

export interface Ipv4Options {
  readonly id?: number
  /** In bytes; the fragment offset. */
  readonly offset?: number
  readonly more?: boolean
  /** Overrides the total length field. */
  readonly totalLength?: number
}

export function ipv4(
  src: string,
  dst: string,
  protocol: number,
  payload: Uint8Array,
  more: Ipv4Options = {},
): Uint8Array {
  const fragment = ((more.offset ?? 0) >>> 3) | (more.more ? 0x2000 : 0)
  return concat(
    Uint8Array.of(0x45, 0),
    be16(more.totalLength ?? 20 + payload.length),
    be16(more.id ?? 0),
    be16(fragment),
    Uint8Array.of(64, protocol, 0, 0),
    parseAddress(src),
    parseAddress(dst),
    payload,
  )
}

export function ipv6(src: string, dst: string, nextHeader: number, payload: Uint8Array): Uint8Array {
  return concat(
    Uint8Array.of(0x60, 0, 0, 0),
    be16(payload.length),
    Uint8Array.of(nextHeader, 64),
    parseAddress(src),
    parseAddress(dst),
    payload,
  )
}

/** IPv4 or IPv6, as the addresses say. */
export function ip(src: string, dst: string, protocol: number, payload: Uint8Array, id = 0): Uint8Array {
  return src.includes(':') ? ipv6(src, dst, protocol, payload) : ipv4(src, dst, protocol, payload, { id })
}

export function tcpSegment(fields: TcpFields): Uint8Array {
  const options = bytes(fields.options)
  const padded = concat(options, new Uint8Array(-options.length & 3))
  return concat(
    be16(fields.sport),
    be16(fields.dport),
    be32(fields.seq ?? 0),
    be32(fields.ack ?? 0),
    Uint8Array.of((20 + padded.length) << 2, fields.flags ?? FLAG.ack),
    be16(fields.window ?? 65535),
    Uint8Array.of(0, 0, 0, 0),
    padded,
    bytes(fields.payload),
  )
}

export function udpDatagram(fields: UdpFields): Uint8Array {
  const payload = bytes(fields.payload)
  return concat(be16(fields.sport), be16(fields.dport), be16(8 + payload.length), be16(0), payload)
}

/** An Ethernet frame around an IP packet. */
export function frame(packet: Uint8Array, vlans?: readonly number[]): Uint8Array {
  return ethernet(packet[0] >> 4 === 6 ? 0x86dd : 0x0800, packet, vlans)
}

export function tcpFrame(fields: TcpFields): Uint8Array {
  return frame(ip(fields.src, fields.dst, 6, tcpSegment(fields), fields.id))
}

export function udpFrame(fields: UdpFields): Uint8Array {
  return frame(ip(fields.src, fields.dst, 17, udpDatagram(fields), fields.id))
}
