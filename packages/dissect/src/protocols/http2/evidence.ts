import type { Side } from '@tapdeck/wire'
import { FLAG, HEADER, isPossible, numberAt, payloadLength, streamAt, TYPE } from './frame.ts'
import { looksLikeBlock } from './header-block.ts'

/** From here on it is HTTP/2. */
export const ENOUGH = 2
/** Error codes of RFC 9113 §7 end here. */
const LAST_ERROR = 13
/** Settings of the RFC, of RFC 8441 and 9218, and those that begin far beyond them to keep receivers tolerant. */
const LAST_SETTING = 16
/** By type: the flags that it has. */
const FLAGS = [0x09, 0x2d, 0, 0, 0x01, 0x0c, 0x01, 0, 0, 0x04]

/**
 * How surely frames of that side stand one after the other in `bytes[start, end)`: `ENOUGH` or more is certain, 0 is
 * nothing against it, -1 impossible. Stricter than RFC 9113, which has receivers ignore what they do not know.
 */
export function evidence(bytes: Uint8Array, start: number, end: number, side: Side): number {
  let weight = 0
  let at = start
  let before = 0
  while (at < end && weight < ENOUGH) {
    // Frames of 64 KiB are too rare to begin with.
    if (bytes[at] !== 0) return -1
    if (end - at < HEADER) return weight
    const length = payloadLength(bytes, at)
    const type = bytes[at + 3]
    if (type > TYPE.continuation || (bytes[at + 4] & ~FLAGS[type]) !== 0 || bytes[at + 5] >= 0x80) return -1
    if (!isPossible(bytes, at, length)) return -1
    const said = weigh(bytes, at, length, Math.min(end, at + HEADER + length), side, before)
    if (said < 0) return -1
    weight += said
    before = streamAt(bytes, at + 5)
    at += HEADER + length
  }
  return weight
}

function weigh(
  bytes: Uint8Array,
  at: number,
  length: number,
  end: number,
  side: Side,
  before: number,
): number {
  const body = at + HEADER
  const whole = end - body === length
  const stream = streamAt(bytes, at + 5)
  switch (bytes[at + 3]) {
    case TYPE.data:
      // Streams of the client have odd numbers: RFC 9113 §5.1.1. Those of a server, which are rare, prove nothing.
      if ((stream & 1) === 0) return -1
      return length > 0 && stream === before ? 1 : 0
    case TYPE.headers:
      if (side === 0 && (stream & 1) === 0) return -1
      return whole ? weighHeaders(bytes, at, end, side, stream === before) : 0
    case TYPE.priority:
      return 0
    case TYPE.resetStream:
      return whole ? (numberAt(bytes, body) <= LAST_ERROR ? 1 : -1) : 0
    case TYPE.settings:
      return weighSettings(bytes, body, end, length)
    case TYPE.pushPromise:
      return side === 0 ? -1 : whole ? 1 : 0
    case TYPE.ping:
      return 1
    case TYPE.goAway:
      return end - body >= 8 ? (numberAt(bytes, body + 4) <= LAST_ERROR ? 1 : -1) : 0
    case TYPE.windowUpdate:
      if (!whole) return 0
      return bytes[body] < 0x80 && numberAt(bytes, body) > 0 ? 1 : -1
    default:
      return before === stream ? 0 : -1
  }
}

function weighHeaders(bytes: Uint8Array, at: number, end: number, side: Side, following: boolean): number {
  const flags = bytes[at + 4]
  if ((flags & FLAG.endHeaders) === 0) return 0
  let start = at + HEADER
  let stop = end
  if (flags & FLAG.padded) stop -= bytes[start++]
  if (flags & FLAG.priority) start += 5
  if (start >= stop) return -1
  const said = looksLikeBlock(bytes, start, stop, side)
  return said > 0 && following ? said + 1 : said
}

function weighSettings(bytes: Uint8Array, start: number, end: number, length: number): number {
  for (let at = start; at + 6 <= end; at += 6) {
    const id = (bytes[at] << 8) | bytes[at + 1]
    const value = numberAt(bytes, at + 2)
    if (id === 0 || (id > LAST_SETTING && id < 0x0a00)) return -1
    if (id === 2 && value > 1) return -1
    if (id === 4 && value > 0x7fffffff) return -1
    if (id === 5 && (value < 16384 || value > 0xffffff)) return -1
  }
  return length > 0 && end - start === length ? ENOUGH : 1
}
