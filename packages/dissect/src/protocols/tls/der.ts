import { Malformed } from '@tapdeck/wire'

export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  oid: 0x06,
  utcTime: 0x17,
  bmpString: 0x1e,
  sequence: 0x30,
  set: 0x31,
} as const

/** One value of DER (X.690): its tag and where its content is. It never reaches beyond the value around it. */
export interface Der {
  readonly tag: number
  readonly bytes: Uint8Array
  /** Where the tag stands; the content is `[start, end)`. */
  readonly from: number
  readonly start: number
  readonly end: number
}

export function readDer(bytes: Uint8Array, from: number, limit: number): Der {
  if (from + 2 > limit) throw new Malformed('DER cut short')
  const tag = bytes[from]
  let start = from + 2
  let length = bytes[from + 1]
  if (length > 0x80) {
    const count = length & 0x7f
    if (count > 3 || start + count > limit) throw new Malformed('DER length out of range')
    length = 0
    for (let i = 0; i < count; i++) length = (length << 8) | bytes[start + i]
    start += count
  } else if (length === 0x80) throw new Malformed('DER of indefinite length')
  const end = start + length
  if (end > limit) throw new Malformed('DER cut short')
  return { tag, bytes, from, start, end }
}

/** The values inside a value, at most `most` of them. */
export function children({ bytes, start, end }: Der, most = 64): Der[] {
  const found: Der[] = []
  for (let at = start; at < end && found.length < most; ) {
    const child = readDer(bytes, at, end)
    found.push(child)
    at = child.end
  }
  return found
}

/** Dotted, as in 2.5.4.3: X.690 §8.19. */
export function oidText({ bytes, start, end }: Der): string {
  const arcs: number[] = []
  let value = 0
  for (let at = start; at < Math.min(end, start + 64); at++) {
    value = value * 128 + (bytes[at] & 0x7f)
    if (bytes[at] >= 0x80) continue
    if (arcs.length === 0) {
      const first = Math.min(2, Math.floor(value / 40))
      arcs.push(first, value - first * 40)
    } else arcs.push(value)
    value = 0
  }
  return arcs.join('.')
}

/** UTCTime or GeneralizedTime (RFC 5280 §4.1.2.5) as RFC 3339; undefined where it is none. */
export function timeText({ tag, bytes, start, end }: Der): string | undefined {
  const text = Buffer.from(bytes.subarray(start, Math.min(end, start + 20))).toString('latin1')
  const found = /^(\d{2}|\d{4})(\d{2})(\d{2})(\d{2})(\d{2})(\d{2})Z$/.exec(text)
  if (found === null || (found[1].length === 2) !== (tag === TAG.utcTime)) return undefined
  const [, year, month, day, hour, minute, second] = found
  const full = year.length === 4 ? year : Number(year) >= 50 ? `19${year}` : `20${year}`
  return `${full}-${month}-${day}T${hour}:${minute}:${second}Z`
}
