import { Malformed } from '@tapdeck/wire'

export const HEADER = 12

/** RFC 1035 §4.2.2: over TCP each message has its length in two bytes before it. */
export function frameLength(bytes: Uint8Array, start: number, end: number): number {
  if (end - start < 2) return 0
  const length = (bytes[start] << 8) | bytes[start + 1]
  if (length < HEADER) throw new Malformed('message shorter than a header')
  return length + 2
}
