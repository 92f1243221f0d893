import { formatIPv4, formatIPv6 } from './format-ip.ts'
import { parseIp } from './parse-ip.ts'
import { ipv4Number } from './parse-ipv4.ts'
import { parseIPv6 } from './parse-ipv6.ts'

/** An address or a CIDR block: the leading `bits` of `bytes` (4 or 16 of them) count. */
export interface IpBlock {
  readonly bytes: Uint8Array
  readonly bits: number
  /** The address as RFC 5952 writes it, without the prefix length. */
  readonly text: string
}

/** Reads `10.0.0.0/8`, `10.1.2.3`, `fe80::/10`; undefined where it is neither an address nor a block. */
export function parseIpBlock(text: string): IpBlock | undefined {
  const slash = text.indexOf('/')
  const bytes = parseIp(slash < 0 ? text : text.slice(0, slash))
  if (bytes === undefined) return undefined
  const width = bytes.length * 8
  const suffix = slash < 0 ? String(width) : text.slice(slash + 1)
  if (!/^\d{1,3}$/.test(suffix) || Number(suffix) > width) return undefined
  const canonical = bytes.length === 4 ? formatIPv4(bytes, 0) : formatIPv6(bytes, 0)
  return { bytes, bits: Number(suffix), text: canonical }
}

/** Whether the block contains the address in `text`. It never contains one of the other family. */
export function blockContains(block: IpBlock, text: string): boolean {
  if (block.bytes.length === 4) return containsIPv4(block, text)
  const bytes = text.includes(':') ? parseIPv6(text) : undefined
  if (bytes === undefined) return false
  const whole = block.bits >> 3
  for (let at = 0; at < whole; at++) if (bytes[at] !== block.bytes[at]) return false
  const rest = block.bits & 7
  return rest === 0 || (bytes[whole]! ^ block.bytes[whole]!) >> (8 - rest) === 0
}

/** The common case: filters ask it of each call, so it allocates nothing. */
function containsIPv4({ bytes, bits }: IpBlock, text: string): boolean {
  const address = ipv4Number(text)
  if (address < 0) return false
  const base = bytes[0]! * 0x1000000 + ((bytes[1]! << 16) | (bytes[2]! << 8) | bytes[3]!)
  const span = 2 ** (32 - bits)
  return Math.floor(address / span) === Math.floor(base / span)
}
