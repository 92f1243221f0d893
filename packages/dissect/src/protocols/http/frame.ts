import { Malformed, type Side } from '@tapdeck/wire'
import { isToken, METHODS, probeRequest, probeResponse } from './probe.ts'

const LF = 0x0a
const CR = 0x0d
const MAX_CHUNK_LINE_LENGTH = 16 * 1024
const MAX_TRAILER_LENGTH = 16 * 1024
/** 13 digits stay below 2^53. */
const MAX_SIZE_DIGITS = 13

/** Length of the lines of a trailer section with the empty line that ends it; 0: it is not there yet. */
export function trailerLength(bytes: Uint8Array, start: number, end: number): number {
  let line = start
  for (let at = start; at < end; at++) {
    if (bytes[at] !== LF) continue
    if (at === line || (at === line + 1 && bytes[line] === CR)) return at + 1 - start
    line = at + 1
  }
  if (end - start > MAX_TRAILER_LENGTH) throw new Malformed('trailer too long')
  return 0
}

/** Bytes of empty lines before a message, which RFC 9112 §2.2 has us ignore. */
export function emptyLines(bytes: Uint8Array, start: number, end: number): number {
  let at = start
  while (at < end && (bytes[at] === CR || bytes[at] === LF)) at++
  return at - start
}

/** Throws where a head cannot begin like this, so that no stream of something else is hoarded in search of its end. */
export function checkStart(bytes: Uint8Array, start: number, end: number, side: Side): void {
  const verdict = side === 0 ? probeRequest(bytes, start, end) : probeResponse(bytes, start, end)
  if (verdict === 'no') throw new Malformed(side === 0 ? 'no request line' : 'no status line')
}

/** A chunk's line. */
export interface ChunkLine {
  /** Its length; 0: its end is not there yet. */
  lineLength: number
  /** The size it names. */
  chunkSize: number
  /** Bytes of the line break, which also follows the data. */
  lineBreak: number
}

/** RFC 9112 §7.1: a size in hexadecimal, unused extensions, a line break. */
export function readChunkLine(bytes: Uint8Array, start: number, end: number, into: ChunkLine): void {
  let at = start
  let size = 0
  while (at < end) {
    const digit = hexDigit(bytes[at])
    if (digit < 0) break
    size = size * 16 + digit
    if (++at - start > MAX_SIZE_DIGITS) throw new Malformed('chunk size over 2^52')
  }
  into.lineLength = 0
  if (at === end) return
  if (at === start) throw new Malformed('no chunk size')
  const byte = bytes[at]
  if (byte !== CR && byte !== LF && byte !== 0x3b && byte !== 0x20 && byte !== 0x09)
    throw new Malformed('no chunk size')
  while (at < end && bytes[at] !== LF)
    if (++at - start > MAX_CHUNK_LINE_LENGTH) throw new Malformed('chunk extension too long')
  if (at === end) return
  into.lineLength = at + 1 - start
  into.chunkSize = size
  into.lineBreak = bytes[at - 1] === CR ? 2 : 1
}

function hexDigit(byte: number): number {
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30
  const lower = byte | 0x20
  return lower >= 0x61 && lower <= 0x66 ? lower - 0x57 : -1
}

/**
 * The next message after lost bytes. A status line is unmistakable wherever it stands; a request line is found by
 * the version at its end, and begins with a method at the start of the bytes, of a line, or after a body.
 */
export function resync(bytes: Uint8Array, start: number, end: number, side: Side): number {
  for (let at = nextVersion(bytes, start, end); at >= 0; at = nextVersion(bytes, at + 1, end)) {
    if (side === 1) {
      if (probeResponse(bytes, at, end) === 'yes') return at
      continue
    }
    const line = requestLineBefore(bytes, start, at)
    if (line >= 0 && probeRequest(bytes, line, end) === 'yes') return line
  }
  return -1
}

function nextVersion(bytes: Uint8Array, from: number, end: number): number {
  for (let i = from; i + 7 <= end; i++)
    if (
      bytes[i] === 0x48 &&
      bytes[i + 1] === 0x54 &&
      bytes[i + 2] === 0x54 &&
      bytes[i + 3] === 0x50 &&
      bytes[i + 4] === 0x2f &&
      bytes[i + 5] === 0x31 &&
      bytes[i + 6] === 0x2e
    )
      return i
  return -1
}

/** Where the request line that has its version at `version` begins, or -1. */
function requestLineBefore(bytes: Uint8Array, start: number, version: number): number {
  let at = version - 1
  if (at <= start || bytes[at] !== 0x20) return -1
  while (at > start && bytes[at - 1] > 0x20) at--
  const target = at
  if (target <= start + 1 || bytes[target - 1] !== 0x20) return -1
  let method = target - 1
  while (method > start && isToken(bytes[method - 1])) method--
  const known = knownMethodBefore(bytes, method, target - 1)
  if (known >= 0) return known
  return method < target - 1 && (method === start || bytes[method - 1] === LF) ? method : -1
}

/** A body need not end in a line break: the longest known method that ends at `end`. */
function knownMethodBefore(bytes: Uint8Array, start: number, end: number): number {
  let found = -1
  for (const method of METHODS) {
    const from = end - method.length
    if (from < start || (found >= 0 && from > found)) continue
    let i = 0
    while (i < method.length && bytes[from + i] === method.charCodeAt(i)) i++
    if (i === method.length) found = from
  }
  return found
}
