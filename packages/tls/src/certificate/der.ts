/** Tags of ASN.1 (X.690) that certificates use. */
export const TAG = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectId: 0x06,
  utf8String: 0x0c,
  utcTime: 0x17,
  generalizedTime: 0x18,
  sequence: 0x30,
  set: 0x31,
} as const

/** One value in the distinguished encoding rules (X.690, section 10): tag, length, contents. */
export function der(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const contents = Buffer.concat(parts)
  return Buffer.concat([Buffer.from([tag, ...lengthBytes(contents.length)]), contents])
}

function lengthBytes(length: number): number[] {
  if (length < 0x80) return [length]
  const bytes: number[] = []
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256)
  return [0x80 | bytes.length, ...bytes]
}

/** An object identifier of its dotted text. */
export function objectId(text: string): Buffer {
  const [first = 0, second = 0, ...others] = text.split('.').map(Number)
  const bytes = [first * 40 + second, ...others].flatMap((number) => {
    const groups = [number & 0x7f]
    for (let rest = number >>> 7; rest > 0; rest >>>= 7) groups.unshift(0x80 | (rest & 0x7f))
    return groups
  })
  return der(TAG.objectId, Buffer.from(bytes))
}

/** A positive integer of its bytes, most significant first. */
export function positiveInteger(bytes: Uint8Array): Buffer {
  const first = bytes.findIndex((byte) => byte !== 0)
  const digits = first < 0 ? Buffer.from([0]) : Buffer.from(bytes.subarray(first))
  return der(TAG.integer, digits[0]! & 0x80 ? Buffer.concat([Buffer.from([0]), digits]) : digits)
}

/** A time as certificates have it (RFC 5280, section 4.1.2.5): two digits of the year until 2049. */
export function time(milliseconds: number): Buffer {
  const digits = new Date(milliseconds)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replace(/[-:T]/g, '')
  return digits < '2050'
    ? der(TAG.utcTime, Buffer.from(digits.slice(2)))
    : der(TAG.generalizedTime, Buffer.from(digits))
}
