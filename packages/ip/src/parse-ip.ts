import { parseIPv4 } from './parse-ipv4.ts'
import { parseIPv6 } from './parse-ipv6.ts'

/** The four or sixteen bytes of an address; undefined where the text is not one. */
export function parseIp(text: string): Uint8Array | undefined {
  return text.includes(':') ? parseIPv6(text) : parseIPv4(text)
}

export function isIp(text: string): boolean {
  return parseIp(text) !== undefined
}
