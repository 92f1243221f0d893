/** No integer of QPACK needs more bytes. */
const MAX_INTEGER = 6

/** Where the integer at `at` ends, and its value. -1: it is not there whole. */
function integerAt(
  bytes: Uint8Array,
  at: number,
  end: number,
  mask: number,
): readonly [value: number, end: number] {
  if (at >= end) return [0, -1]
  let value = bytes[at] & mask
  if (value < mask) return [value, at + 1]
  for (let i = 1; i <= MAX_INTEGER; i++) {
    if (at + i >= end) return [0, -1]
    value += (bytes[at + i] & 0x7f) * 2 ** (7 * (i - 1))
    if (bytes[at + i] < 0x80) return [value, at + i + 1]
  }
  return [Number.POSITIVE_INFINITY, at + MAX_INTEGER + 1]
}

function stringEnd(bytes: Uint8Array, at: number, end: number, mask: number): number {
  const [length, start] = integerAt(bytes, at, end, mask)
  return start < 0 ? -1 : start + length
}

/**
 * Where the encoder instruction at `at` ends (RFC 9204 §4.3), which may be beyond `end`. -1: not enough of it is there. It is
 * measured before it is read, so that one that comes byte by byte is decoded once.
 */
export function instructionEnd(bytes: Uint8Array, at: number, end: number): number {
  const first = bytes[at]
  if (first < 0x40) return integerAt(bytes, at, end, 0x1f)[1]
  const nameEnd = first >= 0x80 ? integerAt(bytes, at, end, 0x3f)[1] : stringEnd(bytes, at, end, 0x1f)
  if (nameEnd < 0) return -1
  // At least the first byte of the value must be there to go on.
  if (nameEnd >= end) return nameEnd + 1
  return stringEnd(bytes, nameEnd, end, 0x7f)
}
