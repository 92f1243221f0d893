import { Malformed, type Side } from '@tapdeck/wire'
import type { Verdict } from '../../contract/dissector.ts'
import { hasLongHeader, readLongHeader, versionCode } from './long-header.ts'
import { quicVersion } from './version.ts'

/** RFC 9000 §7.2: what a client chooses as the server's first id. */
const SHORTEST_CHOICE = 8
/** RFC 9000 §14.1: a client's Initial fills its datagram to at least this. */
const SHORTEST_DATAGRAM = 1200

/** An Initial packet of a version that is known, whose lengths fit in the datagram. */
export function probe(bytes: Uint8Array, start: number, end: number, side: Side): Verdict {
  // Later packets may have another fixed bit (RFC 9287), but not the first.
  if (end - start < 7 || !hasLongHeader(bytes, start) || (bytes[start] & 0x40) === 0) return 'no'
  if (quicVersion(versionCode(bytes, start)) === undefined) return 'no'
  try {
    const { type, destination } = readLongHeader(bytes, start, end)
    if (type !== 'initial') return 'no'
    if (side === 1) return 'yes'
    const chosen = destination[1] - destination[0]
    return end - start >= SHORTEST_DATAGRAM && chosen >= SHORTEST_CHOICE ? 'yes' : 'no'
  } catch (error) {
    if (error instanceof Malformed) return 'no'
    throw error
  }
}
