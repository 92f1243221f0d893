import type { Side } from '@tapdeck/wire'
import type { Verdict } from '../../contract/dissector.ts'
import { attributeKind } from './attribute.ts'
import { codeName, HEADER, isRequest, MAX_SIZE } from './packet.ts'
import { VENDOR_SPECIFIC } from './vendor.ts'

/** Attributes that must be known if the authenticator is blank or the datagram is cut. */
const ENOUGH_ATTRIBUTES = 3

/**
 * A known code of that side, and attributes that fill the length to the last byte. A capture may have cut the datagram,
 * and RFC 2865 §3 allows padding after it.
 */
export function probe(bytes: Uint8Array, start: number, end: number, side: Side): Verdict {
  if (end - start < HEADER) return 'no'
  const length = (bytes[start + 2] << 8) | bytes[start + 3]
  if (length < HEADER || length > MAX_SIZE) return 'no'
  const code = bytes[start]
  if (codeName(code) === undefined || isRequest(code) !== (side === 0)) return 'no'
  // A request without any attribute would ask for nothing.
  if (length === HEADER && side === 0) return 'no'
  const stop = Math.min(end, start + length)
  if (!isZero(bytes, stop, end)) return 'no'
  const isCut = start + length > end
  const known = knownAttributes(bytes, start + HEADER, stop, isCut)
  if (known < 0) return 'no'
  const isWeak = isCut || isBlank(bytes, start + 4, start + HEADER)
  return isWeak && known < ENOUGH_ATTRIBUTES ? 'no' : 'yes'
}

/** How many attributes have a known type; -1: these are no attributes. The last one may be cut. */
function knownAttributes(bytes: Uint8Array, start: number, end: number, isCut: boolean): number {
  let known = 0
  let at = start
  while (at < end) {
    if (isCut && at + 2 > end) return known
    if (bytes[at] === 0 || at + 2 > end || bytes[at + 1] < 2) return -1
    const next = at + bytes[at + 1]
    if (next > end) return isCut ? known : -1
    if (attributeKind(bytes[at]) !== undefined || bytes[at] === VENDOR_SPECIFIC) known++
    at = next
  }
  return known
}

function isZero(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end; at++) if (bytes[at] !== 0) return false
  return true
}

/** Authenticators are random or digests. Some test tools leave them blank. */
function isBlank(bytes: Uint8Array, start: number, end: number): boolean {
  let zeros = 0
  for (let at = start; at < end; at++) if (bytes[at] === 0) zeros++
  return zeros > 8
}
