import type { Side } from '@tapdeck/wire'
import type { Verdict } from '../../contract/dissector.ts'
import { commandName } from './command.ts'
import { FLAG, HEADER, uint24, uint32 } from './frame.ts'

const CAPABILITIES_EXCHANGE = 257
/** Header, and the header of the first pair. */
const ENOUGH = HEADER + 8
/** Pairs that lead from one to the next are proof enough after so many. */
const PAIRS = 32
/** No peer sends more at once. */
const MAX_LENGTH = 1 << 20

/** A known command, flags without reserved bits, and pairs whose lengths lead exactly from one to the next. */
export function probe(bytes: Uint8Array, start: number, end: number, side: Side): Verdict {
  if (end > start && bytes[start] !== 1) return 'no'
  if (end - start < 4) return 'more'
  const length = uint24(bytes, start + 1)
  if (length < ENOUGH || length > MAX_LENGTH || length % 4 !== 0) return 'no'
  if (end - start < 8) return 'more'
  const flags = bytes[start + 4]
  const request = (flags & FLAG.request) !== 0
  if ((flags & 0x0f) !== 0 || (request && flags & FLAG.error) || (!request && flags & FLAG.retransmitted))
    return 'no'
  const command = uint24(bytes, start + 5)
  if (commandName(command, request) === undefined) return 'no'
  // The side that opened the connection begins: RFC 6733 §5.3. All else either side may say.
  if (command === CAPABILITIES_EXCHANGE && request !== (side === 0)) return 'no'
  return leads(bytes, start + HEADER, Math.min(end, start + length), start + length)
}

function leads(bytes: Uint8Array, first: number, held: number, end: number): Verdict {
  let at = first
  for (let pairs = 0; at + 8 <= held; pairs++) {
    if (pairs === PAIRS) return 'yes'
    const flags = bytes[at + 4]
    const length = uint24(bytes, at + 5)
    if (uint32(bytes, at) === 0 || (flags & 0x1f) !== 0 || length < (flags & 0x80 ? 12 : 8)) return 'no'
    at += (length + 3) & ~3
    if (at > end) return 'no'
  }
  if (at === first) return 'more'
  return at === end || held < end ? 'yes' : 'no'
}
