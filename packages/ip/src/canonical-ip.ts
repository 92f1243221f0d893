import { formatIPv4, formatIPv6 } from './format-ip.ts'
import { parseIp } from './parse-ip.ts'

/**
 * The one text form of an address that packets, filters and the inventory share: dotted decimal, or RFC 5952 for IPv6.
 * Undefined where the text is not an address.
 */
export function canonicalIp(text: string): string | undefined {
  const bytes = parseIp(text)
  if (bytes === undefined) return undefined
  return bytes.length === 4 ? formatIPv4(bytes, 0) : formatIPv6(bytes, 0)
}
