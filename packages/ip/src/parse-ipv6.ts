import { parseIPv4 } from './parse-ipv4.ts'

const BYTES = 16
/** The longest text form, with a dotted tail: `ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255`. */
const MAX_LENGTH = 45

/** The sixteen bytes of an IPv6 address (RFC 4291, section 2.2); undefined where the text is not one. No zone index. */
export function parseIPv6(text: string): Uint8Array | undefined {
  if (text.length > MAX_LENGTH) return undefined
  const [front, back, ...more] = text.split('::')
  if (more.length > 0) return undefined
  const isShortened = back !== undefined
  const head = groupBytes(front!, !isShortened)
  const tail = isShortened ? groupBytes(back, true) : []
  if (head === undefined || tail === undefined) return undefined
  const missing = BYTES - head.length - tail.length
  if (isShortened ? missing < 2 : missing !== 0) return undefined
  const bytes = new Uint8Array(BYTES)
  bytes.set(head)
  bytes.set(tail, BYTES - tail.length)
  return bytes
}

/** Only the last group of the whole address may be dotted: `1.2.3.4::1` is not an address. */
function groupBytes(text: string, endsAddress: boolean): number[] | undefined {
  if (text === '') return []
  const bytes: number[] = []
  const groups = text.split(':')
  for (const [at, group] of groups.entries()) {
    if (group.includes('.')) {
      const dotted = endsAddress && at === groups.length - 1 ? parseIPv4(group) : undefined
      if (dotted === undefined) return undefined
      bytes.push(...dotted)
    } else {
      if (!/^[0-9a-fA-F]{1,4}$/.test(group)) return undefined
      const value = Number.parseInt(group, 16)
      bytes.push(value >> 8, value & 255)
    }
  }
  return bytes
}
