import { Malformed } from '@tapdeck/wire'
import { word } from '../../text/text.ts'

/** RFC 1035 §2.3.4: no name is longer, compressed or not. */
const MAX_LENGTH = 255
const scratch = new Uint8Array(MAX_LENGTH + 1)

/** Where the name at `at` ends, without following pointers. Throws where there is no name. */
export function skipName(bytes: Uint8Array, at: number, end: number): number {
  const stop = Math.min(end, at + MAX_LENGTH + 1)
  let place = at
  while (place < stop) {
    const length = bytes[place]
    if (length === 0) return place + 1
    if (length > 63) return skipPointer(length, place, end)
    place += length + 1
  }
  throw new Malformed(place - at > MAX_LENGTH ? 'name too long' : 'name cut short')
}

function skipPointer(first: number, at: number, end: number): number {
  if (first < 0xc0) throw new Malformed('no label')
  if (at + 2 > end) throw new Malformed('name cut short')
  return at + 2
}

/**
 * The name at `at` of a message that begins at `start`, without the final dot; the root is `.`. Pointers (§4.1.4)
 * only ever lead back, so a chain of them ends.
 */
export function readName(bytes: Uint8Array, start: number, at: number, end: number): string {
  const plain = plainLength(bytes, at, end)
  if (plain > 0) return word(scratch, 0, plain)
  let name = ''
  let place = at
  let limit = at
  for (;;) {
    if (place >= end) throw new Malformed('name cut short')
    const length = bytes[place]
    if (length === 0) return name === '' ? '.' : name
    if (length >= 0xc0) {
      if (place + 2 > end) throw new Malformed('name cut short')
      const target = start + (((length & 0x3f) << 8) | bytes[place + 1])
      if (target >= limit) throw new Malformed('pointer forward')
      place = target
      limit = target
      continue
    }
    if (length > 63 || place + 1 + length > end) throw new Malformed('no label')
    const label = readLabel(bytes, place + 1, place + 1 + length)
    name = name === '' ? label : `${name}.${label}`
    if (name.length > MAX_LENGTH * 4) throw new Malformed('name too long')
    place += length + 1
  }
}

/** Most names have neither pointers nor odd characters: they become text at once. Its length; 0: not so. */
function plainLength(bytes: Uint8Array, at: number, end: number): number {
  let length = 0
  let place = at
  while (place < end) {
    const size = bytes[place++]
    if (size === 0) return length - 1
    if (size > 63 || place + size > end || length + size >= MAX_LENGTH) return 0
    for (const stop = place + size; place < stop; place++) {
      const byte = bytes[place]
      if (byte <= 0x20 || byte >= 0x7f || byte === 0x2e || byte === 0x5c) return 0
      scratch[length++] = byte
    }
    scratch[length++] = 0x2e
  }
  return 0
}

/** RFC 1035 §5.1: a dot or a backslash in a label is escaped, what cannot be printed stands as \DDD. */
function readLabel(bytes: Uint8Array, start: number, end: number): string {
  for (let i = start; i < end; i++) {
    const byte = bytes[i]
    if (byte > 0x20 && byte < 0x7f && byte !== 0x2e && byte !== 0x5c) continue
    return escaped(bytes, start, end)
  }
  return word(bytes, start, end)
}

function escaped(bytes: Uint8Array, start: number, end: number): string {
  let text = ''
  for (let i = start; i < end; i++) {
    const byte = bytes[i]
    if (byte === 0x2e || byte === 0x5c) text += `\\${String.fromCharCode(byte)}`
    else if (byte > 0x20 && byte < 0x7f) text += String.fromCharCode(byte)
    else text += `\\${String(byte).padStart(3, '0')}`
  }
  return text
}
