import { isAddressHeader, isSecretHeader, isSecretParameter, isSuspectPair } from './credential-names.ts'
import { QuietNames } from './quiet-names.ts'

const LF = 0x0a
const SPACE = 0x20
const QUOTE = 0x22
const SHARP = 0x23
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
/** In each byte: what finds a byte of zero, LF, and `?`, which is `;` with another bit. */
const EACH_ONE = 0x01010101
const HIGHEST = 0x80808080 | 0
const EACH_LF = 0x0a0a0a0a
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
  // A password in an address is looked for in targets with a host, and in fields that have addresses.
  let at = start
  while (at < end && bytes[at]! > SPACE) at++
  if (bytes[at + 1] !== SLASH && hasUser(bytes, at, end)) return true
  const { byteOffset } = bytes
  const memory = words
  const last = (byteOffset + end) >> 2
  // The first word may begin before the head.
  for (let word = (byteOffset + start) >> 2; word < last; word++) {
    const four = memory[word]!
    const lf = four ^ EACH_LF
    const question = (four | OTHER_BIT) ^ EACH_QUESTION
    let found = (((lf - EACH_ONE) & ~lf) | ((question - EACH_ONE) & ~question)) & HIGHEST
    if (found === 0) continue
    while (found !== 0) {
      const place = (word << 2) + 3 - (Math.clz32(found & -found) >> 3) - byteOffset
      found &= found - 1
      if (place >= start && isCredentialAfter(bytes, place, end)) return true
    }
  }
  for (at = Math.max(start, (last << 2) - byteOffset); at < end; at++)
    if (isCredentialAfter(bytes, at, end)) return true
  return false
}

/** Whether one begins after this byte, if it can begin a field or a parameter. */
function isCredentialAfter(bytes: Uint8Array, at: number, end: number): boolean {
  const mark = bytes[at]
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
      if (isSuspect && isSecretHeader(name)) return true
      if (isSuspect && isAddressHeader(name)) return hasUser(bytes, at, end)
      quiet.learn(view, start, at - start)
      return false
    }
    if (isSuspectPair(before, byte)) isSuspect = true
    before = byte
  }
  return false
}

function hasUser(bytes: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at < end && bytes[at] !== LF; at++) if (bytes[at] === AT) return true
  return false
}

/** The parameters from `start` on, up to where their address ends. */
function isQuerySecret(bytes: Uint8Array, start: number, end: number): boolean {
  if (isSecretAt(bytes, start, end)) return true
  for (let at = start; at < end; at++) {
    const byte = bytes[at]!
    if (byte <= SPACE || byte === QUOTE || byte === LESS || byte === GREATER) return false
    if (byte === AMPERSAND && isSecretAt(bytes, at + 1, end)) return true
  }
  return false
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
