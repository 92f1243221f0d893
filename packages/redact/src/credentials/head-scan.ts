import { isSecretHeader, isSecretParameter, isSuspectPair } from './credential-names.ts'

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
/** How far before `@` a user and a password begin. */
const MAX_USER = 512
/** Which bytes may begin a parameter, a line or the end of a password. */
const MARKS = new Uint8Array(256)
for (const mark of [LF, AMPERSAND, SEMICOLON, QUESTION, AT]) MARKS[mark] = 1

/** The native method behind `Buffer.toString`. */
const { latin1Slice } = Buffer.prototype as unknown as {
  latin1Slice(this: Uint8Array, start: number, end: number): string
}

/**
 * Whether lines of header fields at `bytes[start, end)` may have a credential: in a field of such a name, or in an
 * address. It only decides whether to look closely, for most heads have none: it makes no string and no object.
 */
export function mayHaveCredentials(bytes: Uint8Array, start: number, end: number, inLine = true): boolean {
  let at = start
  if (!inLine && isSecretAt(bytes, at, end, COLON)) return true
  while (at < end) {
    const byte = bytes[at++]!
    if (MARKS[byte] === 0) continue
    if (byte === LF) {
      if (isSecretAt(bytes, at, end, COLON)) return true
    } else if (byte === AT) {
      if (hasPassword(bytes, start, at - 1)) return true
    } else if (isSecretAt(bytes, at, end, EQUALS)) return true
  }
  return false
}

/** Whether a secret name begins at `start`, of a header field (`mark` is a colon) or a parameter (it is `=`). */
export function isSecretAt(bytes: Uint8Array, start: number, end: number, mark: number): boolean {
  const stop = Math.min(end, start + MAX_NAME)
  let isSuspect = false
  let before = 0
  for (let at = start; at < stop; at++) {
    const byte = bytes[at]!
    if (byte === mark) {
      if (!isSuspect) return false
      const name = latin1Slice.call(bytes, start, at)
      return mark === COLON ? isSecretHeader(name) : isSecretParameter(name)
    }
    // A parameter may be written after `; `.
    if (mark === COLON ? byte === LF : byte === SPACE ? at !== start : endsName(byte)) return false
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

/** Whether `://user:password` is before `@`. */
function hasPassword(bytes: Uint8Array, start: number, end: number): boolean {
  const least = Math.max(start, end - MAX_USER)
  for (let at = end - 1; at > least + 1; at--) {
    const byte = bytes[at]!
    if (byte <= SPACE) return false
    if (byte === SLASH) return bytes[at - 1] === SLASH && bytes[at - 2] === COLON
  }
  return false
}
