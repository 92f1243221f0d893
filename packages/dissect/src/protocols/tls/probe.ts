import type { Side } from '@tapdeck/wire'
import type { Verdict } from '../../contract/dissector.ts'
import { mayBeRecord, payloadLength, RECORD, RECORD_HEADER } from './frame.ts'
import { CLIENT_HELLO, SERVER_HELLO } from './hello.ts'

/** A hello holds at least its version, its random, and what goes with them. */
const SHORTEST_HELLO = 38
/** Nothing that is encrypted and authenticated is shorter than its tag. */
const SHORTEST_SECRET = 17

/**
 * A handshake record that begins with the hello of that side, whose two lengths and two versions agree. Where a
 * capture begins later, application data in a record of TLS 1.0 to 1.2 tells that much.
 */
export function probe(bytes: Uint8Array, start: number, end: number, side: Side): Verdict {
  if (!mayBeRecord(bytes, start, end)) return 'no'
  const type = bytes[start]
  if (type === RECORD.applicationData) return probeSecret(bytes, start, end)
  if (type !== RECORD.handshake) return 'no'
  if (start + 11 > end) return 'more'
  const at = start + RECORD_HEADER
  if (bytes[at] !== (side === 0 ? CLIENT_HELLO : SERVER_HELLO) || bytes[at + 1] !== 0) return 'no'
  const length = (bytes[at + 2] << 8) | bytes[at + 3]
  if (length < SHORTEST_HELLO || payloadLength(bytes, start) < 6) return 'no'
  return bytes[at + 4] === 3 && bytes[at + 5] <= 4 ? 'yes' : 'no'
}

function probeSecret(bytes: Uint8Array, start: number, end: number): Verdict {
  if (start + RECORD_HEADER > end) return 'more'
  const minor = bytes[start + 2]
  return minor >= 1 && minor <= 3 && payloadLength(bytes, start) >= SHORTEST_SECRET ? 'yes' : 'no'
}
