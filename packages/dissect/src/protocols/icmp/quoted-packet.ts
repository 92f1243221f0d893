import { formatIPv4, formatIPv6 } from '@tapdeck/ip'

/** The packet that an error is about, as far as it is quoted. */
export interface QuotedPacket {
  readonly src: string
  readonly dst: string
  readonly protocol: string
  readonly src_port?: number
  readonly dst_port?: number
}

const NAMES: Readonly<Record<number, string | undefined>> = {
  1: 'icmp',
  6: 'tcp',
  17: 'udp',
  47: 'gre',
  50: 'esp',
  58: 'icmp',
  132: 'sctp',
}
const WITH_PORTS = [6, 17, 132]

export function readQuotedPacket(bytes: Uint8Array, start: number): QuotedPacket | undefined {
  const version = bytes[start] >> 4
  const v6 = version === 6
  const shortest = v6 ? 40 : 20
  if ((version !== 4 && !v6) || bytes.length < start + shortest) return undefined
  const protocol = bytes[start + (v6 ? 6 : 9)]
  const header = v6 ? shortest : (bytes[start] & 15) * 4
  const ports = start + header
  const addresses = v6
    ? { src: formatIPv6(bytes, start + 8), dst: formatIPv6(bytes, start + 24) }
    : { src: formatIPv4(bytes, start + 12), dst: formatIPv4(bytes, start + 16) }
  const named = { ...addresses, protocol: NAMES[protocol] ?? String(protocol) }
  if (!WITH_PORTS.includes(protocol) || bytes.length < ports + 4) return named
  return {
    ...named,
    src_port: (bytes[ports] << 8) | bytes[ports + 1],
    dst_port: (bytes[ports + 2] << 8) | bytes[ports + 3],
  }
}
