import { Malformed, type Side, type Transport } from '@tapdeck/wire'
import type { Verdict } from '../../contract/dissector.ts'
import { HEADER } from './frame.ts'
import { skipName } from './name.ts'

/** No real message has longer sections. */
const MAX_QUESTIONS = 32
const MAX_RECORDS = 4096
/** Some servers end their zone transfer queries with a mark of their own. */
const MAX_SPARE = 4

/** A datagram is one message; in a stream each has its length before it. */
export function probe(
  bytes: Uint8Array,
  start: number,
  end: number,
  side: Side,
  transport: Transport,
): Verdict {
  if (transport === 'udp') return probeMessage(bytes, start, end, end - start, side, 0)
  if (end - start < 2) return 'more'
  const length = (bytes[start] << 8) | bytes[start + 1]
  if (length < HEADER + 5) return 'no'
  return probeMessage(bytes, start + 2, Math.min(end, start + 2 + length), length, side, MAX_SPARE)
}

/** Every count, every question and every record must fit; a message that is not all there yet may still. */
function probeMessage(
  bytes: Uint8Array,
  start: number,
  end: number,
  length: number,
  side: Side,
  spare: number,
): Verdict {
  if (end - start < HEADER) return length < HEADER ? 'no' : 'more'
  const flags = (bytes[start + 2] << 8) | bytes[start + 3]
  const opcode = (flags >> 11) & 15
  const isResponse = flags >> 15 === 1
  if (opcode === 3 || opcode > 6 || (flags & 0x40) !== 0) return 'no'
  const questions = (bytes[start + 4] << 8) | bytes[start + 5]
  const answers = (bytes[start + 6] << 8) | bytes[start + 7]
  const rest = ((bytes[start + 8] << 8) | bytes[start + 9]) + ((bytes[start + 10] << 8) | bytes[start + 11])
  if (questions > MAX_QUESTIONS || answers + rest > MAX_RECORDS || questions + answers + rest === 0)
    return 'no'
  // A multicast announcement (RFC 6762 §6) comes unasked, with answers and no question.
  const announces = isResponse && questions === 0 && answers > 0
  if (isResponse !== (side === 1) && !announces) return 'no'
  if (!isResponse && (questions === 0 || (flags & 0x0f) !== 0)) return 'no'
  if (questions === 0 && !announces) return 'no'
  try {
    const isWhole = end - start === length
    return fits(bytes.subarray(start, end), questions, answers + rest, isWhole, spare)
  } catch (error) {
    if (error instanceof Malformed)
      return end - start < length && error.message.endsWith('short') ? 'more' : 'no'
    throw error
  }
}

function fits(bytes: Uint8Array, questions: number, records: number, whole: boolean, spare: number): Verdict {
  const end = bytes.length
  let at = HEADER
  for (let i = 0; i < questions; i++) {
    at = skipName(bytes, at, end)
    if (at + 4 > end) return whole ? 'no' : 'more'
    if (!knownClass((bytes[at + 2] << 8) | bytes[at + 3])) return 'no'
    at += 4
  }
  // One question that reads well in a message cut short is as much as can be asked of it.
  if (!whole) return questions > 0 ? 'yes' : 'more'
  for (let i = 0; i < records; i++) {
    at = skipName(bytes, at, end)
    if (at + 10 > end) return 'no'
    at += 10 + ((bytes[at + 8] << 8) | bytes[at + 9])
    if (at > end) return 'no'
  }
  return end - at <= spare ? 'yes' : 'no'
}

/** IN, CH, HS, NONE, ANY; multicast uses the topmost bit to ask for a unicast answer: RFC 6762 §5.4. */
function knownClass(code: number): boolean {
  const plain = code & 0x7fff
  return plain === 1 || plain === 3 || plain === 4 || plain === 254 || plain === 255
}
