import type { Side } from '@tapdeck/wire'
import type { Verdict } from '../../dissector.ts'
import { codeName, HEADER, isRequest, LARGEST } from './packet.ts'

/** A known code of that side, a length that is the datagram's, and attributes that fill it to the last byte. */
export function probe(bytes: Uint8Array, start: number, end: number, side: Side): Verdict {
  const length = end - start
  if (length < HEADER || length > LARGEST) return 'no'
  const code = bytes[start]
  if (codeName(code) === undefined || isRequest(code) !== (side === 0)) return 'no'
  if (((bytes[start + 2] << 8) | bytes[start + 3]) !== length) return 'no'
  // A request without any attribute would ask for nothing.
  if (length === HEADER && side === 0) return 'no'
  if (isBlank(bytes, start + 4, start + HEADER)) return 'no'
  let at = start + HEADER
  while (at < end) {
    if (bytes[at] === 0 || at + 2 > end || bytes[at + 1] < 2) return 'no'
    at += bytes[at + 1]
  }
  return at === end ? 'yes' : 'no'
}

/** Authenticators are random or digests: many zeros in a row are something else. */
function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
  let zeros = 0
  for (let at = start; at < end; at++) if (bytes[at] === 0) zeros++
  return zeros > 8
}
