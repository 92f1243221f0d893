import { parseIp } from '@tapdeck/ip'
import { Malformed } from './malformed.ts'

/** The four or sixteen bytes of an address. Throws `Malformed` where the text is not one. */
export function parseAddress(text: string): Uint8Array {
  const bytes = parseIp(text)
  if (bytes === undefined) throw new Malformed(`not an IP address: ${text}`)
  return bytes
}
