import { parseIp } from '@tapdeck/ip'

/** Where an IPv6 address carries an IPv4 address: bytes of the address, in order. */
interface Embedding {
  /** The bytes that the address begins with. */
  readonly prefix: readonly number[]
  readonly at: readonly number[]
  /** Teredo stores its client inverted. */
  readonly inverted?: boolean
}

const LAST = [12, 13, 14, 15]

const EMBEDDINGS: readonly Embedding[] = [
  // IPv4-compatible (RFC 4291, 2.5.5.1), mapped (2.5.5.2) and translated (RFC 2765).
  { prefix: Array(12).fill(0), at: LAST },
  { prefix: [...Array(10).fill(0), 0xff, 0xff], at: LAST },
  { prefix: [...Array(8).fill(0), 0xff, 0xff, 0, 0], at: LAST },
  // NAT64: the well-known prefix (RFC 6052) and the one for local use (RFC 8215), which may be split at several places.
  { prefix: [0, 0x64, 0xff, 0x9b, ...Array(8).fill(0)], at: LAST },
  { prefix: [0, 0x64, 0xff, 0x9b, 0, 1], at: [6, 7, 9, 10] },
  { prefix: [0, 0x64, 0xff, 0x9b, 0, 1], at: [7, 9, 10, 11] },
  { prefix: [0, 0x64, 0xff, 0x9b, 0, 1], at: [9, 10, 11, 12] },
  { prefix: [0, 0x64, 0xff, 0x9b, 0, 1], at: LAST },
  // 6to4 (RFC 3056), and Teredo with its server and its client (RFC 4380).
  { prefix: [0x20, 0x02], at: [2, 3, 4, 5] },
  { prefix: [0x20, 0x01, 0, 0], at: [4, 5, 6, 7] },
  { prefix: [0x20, 0x01, 0, 0], at: LAST, inverted: true },
]

/** ISATAP (RFC 5214): the interface identifier of any prefix. */
const ISATAP = [
  [0, 0, 0x5e, 0xfe],
  [2, 0, 0x5e, 0xfe],
]

/** Every IPv4 address that packets to an IPv6 address may be delivered to. */
export function embeddedIpv4(address: string): string[] {
  const bytes = parseIp(address.replace(/%.*$/, ''))
  if (bytes?.length !== 16) return []
  const found = EMBEDDINGS.filter(({ prefix }) => prefix.every((byte, at) => bytes[at] === byte)).map(
    ({ at, inverted }) => at.map((one) => (inverted ? bytes[one]! ^ 0xff : bytes[one]!)).join('.'),
  )
  if (ISATAP.some((mark) => mark.every((byte, at) => bytes[8 + at] === byte)))
    found.push(LAST.map((one) => bytes[one]!).join('.'))
  return found
}
