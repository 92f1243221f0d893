import {
  isSecretHeader,
  isSecretParameter,
  isSuspectPair,
  listsProtocols,
  mayHaveFragment,
} from './credential-names.ts'
import { QuietNames } from './quiet-names.ts'

const LF = 0x0a
const SPACE = 0x20
const QUOTE = 0x22
const SHARP = 0x23
const PERCENT = 0x25
const AMPERSAND = 0x26
const SLASH = 0x2f
const COLON = 0x3a
const SEMICOLON = 0x3b
const LESS = 0x3c
const EQUALS = 0x3d
const GREATER = 0x3e
const QUESTION = 0x3f
const AT = 0x40
/** A name that is longer is no name. */
const MAX_NAME = 128
/** In each byte: what finds a byte of zero, LF, `@`, and `?`, which is `;` with another bit. */
const EACH_ONE = 0x01010101
const HIGHEST = 0x80808080 | 0
const EACH_LF = 0x0a0a0a0a
const EACH_AT = 0x40404040
const EACH_QUESTION = 0x3f3f3f3f
const OTHER_BIT = 0x04040404

/** The native method behind `Buffer.toString`. */
const { latin1Slice } = Buffer.prototype as unknown as {
  latin1Slice(this: Uint8Array, start: number, end: number): string
}

const quiet = new QuietNames()
/** The bytes that were looked at last: heads come out of the same memory again and again. */
let known: Uint8Array = new Uint8Array(0)
let words: Int32Array = new Int32Array(0)
let view: DataView = new DataView(known.buffer)

/**
 * Whether the head `bytes[start, end)` may have a credential: in a field of such a name, or in an address. It only
 * decides whether to look closely, for most heads have none: it makes no string and no object.
 */
export function mayHaveCredentials(bytes: Uint8Array, start: number, end: number): boolean {
  if (bytes !== known) {
    known = bytes
    words = new Int32Array(bytes.buffer, 0, bytes.buffer.byteLength >> 2)
    view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  }
  const { byteOffset } = bytes
  const memory = words
  const last = (byteOffset + end) >> 2
  // The first word may begin before the head.
  for (let word = (byteOffset + start) >> 2; word < last; word++) {
    const four = memory[word]!
    const lf = four ^ EACH_LF
    const user = four ^ EACH_AT
    const question = (four | OTHER_BIT) ^ EACH_QUESTION
    let found =
      (((lf - EACH_ONE) & ~lf) | ((user - EACH_ONE) & ~user) | ((question - EACH_ONE) & ~question)) & HIGHEST
    if (found === 0) continue
    while (found !== 0) {
      const place = (word << 2) + 3 - (Math.clz32(found & -found) >> 3) - byteOffset
      found &= found - 1
      if (place >= start && isCredentialAt(bytes, start, place, end)) return true
    }
  }
  for (let at = Math.max(start, (last << 2) - byteOffset); at < end; at++)
    if (isCredentialAt(bytes, start, at, end)) return true
  return false
}

/** Whether this byte begins a field or a parameter with one, or ends the user of an address. */
function isCredentialAt(bytes: Uint8Array, start: number, at: number, end: number): boolean {
  const mark = bytes[at]
  if (mark === AT) return endsUser(bytes, start, at)
  if (mark === LF) return !quiet.has(view, at + 1, end) && isFieldSecret(bytes, at + 1, end)
  if (mark === SEMICOLON) return isSecretAt(bytes, at + 1, end)
  return mark === QUESTION && isQuerySecret(bytes, at + 1, end)
}

/** A line of a header field. */
function isFieldSecret(bytes: Uint8Array, start: number, end: number): boolean {
  const stop = Math.min(end, start + MAX_NAME)
  let isSuspect = false
  let before = 0
  for (let at = start; at < stop; at++) {
    const byte = bytes[at]!
    if (byte === LF) return false
    if (byte === COLON && at > start) {
      const name = isSuspect ? latin1Slice.call(bytes, start, at) : ''
      if (isSuspect && (isSecretHeader(name) || listsProtocols(name))) return true
      if (isSuspect && mayHaveFragment(name)) return hasFragment(bytes, at, end)
      quiet.learn(view, start, at - start)
      return false
    }
    if (isSuspectPair(before, byte)) isSuspect = true
    before = byte
  }
  return false
}

function hasFragment(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end && bytes[at] !== LF; at++) if (bytes[at] === SHARP) return true
  return false
}

/** Whether `://` is in the word before `at`. What is before another `@` was looked at there. */
function endsUser(bytes: Uint8Array, start: number, at: number): boolean {
  for (let before = at - 1; before > start + 1; before--) {
    const byte = bytes[before]!
    if (byte <= SPACE || byte === AT) return false
    if (byte === SLASH && bytes[before - 1] === SLASH && bytes[before - 2] === COLON) return true
  }
  return false
}

/** The parameters from `start` on, up to where their address ends. */
function isQuerySecret(bytes: Uint8Array, start: number, end: number): boolean {
  if (isSecretAt(bytes, start, end)) return true
  // An address that is the value of a parameter has these escaped.
  let hasSeparator = false
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!
    // Another question mark is looked at by itself.
    if (byte <= SPACE || byte === QUESTION) return false
    if (byte === AMPERSAND && isSecretAt(bytes, at + 1, end)) return true
    if (byte !== PERCENT) continue
    const escaped = escapedAt(bytes, at)
    if (escaped === EQUALS && hasSeparator) return true
    if (escaped === QUESTION || escaped === AMPERSAND || escaped === SHARP) hasSeparator = true
  }
  return false
}

/** The byte of an escape such as `%3d`, also where its percent sign is escaped itself; 0: another one. */
function escapedAt(bytes: Uint8Array, percent: number): number {
  let at = percent + 1
  while (bytes[at] === 0x32 && bytes[at + 1] === 0x35) at += 2
  const high = bytes[at]! - 0x30
  if (high !== 2 && high !== 3) return 0
  const low = bytes[at + 1]!
  return (high << 4) | (low < 0x3a ? low - 0x30 : (low & 31) + 9)
}

/** Whether the name of a secret parameter begins at `start`, perhaps after a blank. */
export function isSecretAt(bytes: Uint8Array, start: number, end: number): boolean {
  const stop = Math.min(end, start + MAX_NAME)
  let isSuspect = false
  let before = 0
  for (let at = start; at < stop; at++) {
    const byte = bytes[at]!
    if (byte === EQUALS) return isSuspect && isSecretParameter(latin1Slice.call(bytes, start, at))
    if (byte === SPACE ? at !== start : endsName(byte)) return false
    if (isSuspectPair(before, byte)) isSuspect = true
    before = byte
  }
  return false
}

function endsName(byte: number): boolean {
  return (
    byte < SPACE ||
    byte === AMPERSAND ||
    byte === SEMICOLON ||
    byte === QUESTION ||
    byte === QUOTE ||
    byte === SHARP ||
    byte === LESS ||
    byte === GREATER
  )
}
