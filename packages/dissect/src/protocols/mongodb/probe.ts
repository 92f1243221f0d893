import type { Side } from '@tapdeck/wire'
import type { Verdict } from '../../contract/dissector.ts'
import { isType } from './bson.ts'
import { HEADER, int32, isLength } from './frame.ts'
import { FLAG } from './layout.ts'
import { isOneWay, isOpcode, isReply, OPCODE } from './opcode.ts'

const MAX_NAME_LENGTH = 255

/** The header says a length, a known opcode and whom it answers; what follows must begin as that opcode has it. */
export function probe(bytes: Uint8Array, start: number, end: number, side: Side): Verdict {
  const held = end - start
  if (held < 4) return 'more'
  const length = int32(bytes, start)
  if (!isLength(length)) return 'no'
  if (held < HEADER) return 'more'
  const opcode = int32(bytes, start + 12)
  if (!isOpcode(opcode)) return 'no'
  if (isReply(opcode, int32(bytes, start + 8)) !== (side === 1)) return 'no'
  return probePayload(opcode, bytes, start + HEADER, Math.min(end, start + length), length - HEADER)
}

function probePayload(opcode: number, bytes: Uint8Array, at: number, end: number, length: number): Verdict {
  if (end - at < 4) return 'more'
  const first = int32(bytes, at)
  switch (opcode) {
    case OPCODE.MSG:
      // Unknown flags among the first sixteen must be refused by who reads them.
      if ((first & 0xffff & ~(FLAG.CHECKSUM | FLAG.MORE_TO_COME)) !== 0) return 'no'
      return probeSection(bytes, at + 4, end, length - 4)
    case OPCODE.COMPRESSED:
      if (end - at < 9) return length < 9 ? 'no' : 'more'
      return isOpcode(first) && first !== OPCODE.COMPRESSED && bytes[at + 8] <= 3 ? 'yes' : 'no'
    case OPCODE.REPLY:
      if (end - at < 20) return length < 20 ? 'no' : 'more'
      if (first >>> 0 > 15 || int32(bytes, at + 16) < 0) return 'no'
      return length === 20 ? 'yes' : probeDocument(bytes, at + 20, end, length - 20)
    case OPCODE.KILL_CURSORS:
      if (end - at < 8) return length < 16 ? 'no' : 'more'
      return first === 0 && int32(bytes, at + 4) * 8 + 8 === length ? 'yes' : 'no'
    case OPCODE.COMMAND:
      return probeName(bytes, at, end, false)
    case OPCODE.COMMAND_REPLY:
      return probeDocument(bytes, at, end, length)
    default:
      if (opcode === OPCODE.QUERY || isOneWay(opcode) ? first >>> 0 > 0xff : first !== 0) return 'no'
      return probeName(bytes, at + 4, end, true)
  }
}

function probeSection(bytes: Uint8Array, at: number, end: number, length: number): Verdict {
  if (end - at < 6) return length < 6 ? 'no' : 'more'
  if (bytes[at] === 0) return probeDocument(bytes, at + 1, end, length - 1)
  if (bytes[at] !== 1) return 'no'
  const size = int32(bytes, at + 1)
  return size > 5 && size < length ? probeName(bytes, at + 5, end, false) : 'no'
}

function probeDocument(bytes: Uint8Array, at: number, end: number, length: number): Verdict {
  if (end - at < 5) return length < 5 ? 'no' : 'more'
  const size = int32(bytes, at)
  if (size < 5 || size > length) return 'no'
  return size === 5 ? (bytes[at + 4] === 0 ? 'yes' : 'no') : isType(bytes[at + 4]) ? 'yes' : 'no'
}

/** A namespace is `database.collection`. */
function probeName(bytes: Uint8Array, at: number, end: number, dotted: boolean): Verdict {
  let dot = !dotted
  const stop = Math.min(end, at + MAX_NAME_LENGTH)
  for (let i = at; i < stop; i++) {
    const byte = bytes[i]
    if (byte === 0) return i > at && dot ? 'yes' : 'no'
    if (byte < 0x20 || byte === 0x7f) return 'no'
    if (byte === 0x2e && i > at) dot = true
  }
  return stop < end ? 'no' : 'more'
}
