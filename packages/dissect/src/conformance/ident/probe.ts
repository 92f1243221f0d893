import type { Side, Transport } from '@tapdeck/wire'
import type { Verdict } from '../../contract/dissector.ts'
import { latin1 } from '../../text/text.ts'

/** RFC 1413 §4: two ports. The response repeats them, then USERID or ERROR. */
const QUERY = /^\d{1,5} *, *\d{1,5} *\r?\n/
const REPLY = /^\d{1,5} *, *\d{1,5} *: *(USERID|ERROR) *:/
const MAX_LENGTH = 64

export function probe(
  bytes: Uint8Array,
  start: number,
  end: number,
  side: Side,
  _transport: Transport,
): Verdict {
  const text = latin1(bytes, start, Math.min(end, start + MAX_LENGTH))
  if ((side === 0 ? QUERY : REPLY).test(text)) return 'yes'
  return text.length < MAX_LENGTH && /^[\d, ]*[\r:]?[A-Z :]*$/.test(text) ? 'more' : 'no'
}
