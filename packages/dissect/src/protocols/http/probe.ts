import type { Side } from '@tapdeck/wire'
import type { Verdict } from '../../contract/dissector.ts'
import { latin1 } from '../../text/text.ts'

/** Longer than any method that was ever registered. */
const MAX_METHOD_LENGTH = 32
/** A target of this length after a usual method is proof enough: its end may be beyond what is looked at. */
const LONG_TARGET = 1024
export const METHODS = ['GET', 'POST', 'PUT', 'HEAD', 'DELETE', 'PATCH', 'OPTIONS', 'CONNECT', 'TRACE']
/** A request line with a malformed target is looked for no further than this. */
const MAX_MALFORMED_LINE = 8192
const SPACE = 0x20
const QUERY = 0x3f
const FRAGMENT = 0x23
const LF = 0x0a
const CR = 0x0d
const VERSION = [0x48, 0x54, 0x54, 0x50, 0x2f, 0x31, 0x2e] // HTTP/1.

/** RFC 9110 §5.6.2: the characters of a token. */
const TOKEN = new Uint8Array(128)
for (const character of "!#$%&'*+-.^_`|~0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
  TOKEN[character.charCodeAt(0)] = 1

/** Anything in a target up to its query or fragment. */
const IN_PATH = new Uint8Array(256).fill(1, SPACE + 1)
for (const byte of [0x23, 0x3f, 0x7f]) IN_PATH[byte] = 0

export function isToken(byte: number): boolean {
  return byte < 128 && TOKEN[byte] === 1
}

export function probe(bytes: Uint8Array, start: number, end: number, side: Side): Verdict {
  return side === 0 ? probeRequest(bytes, start, end) : probeResponse(bytes, start, end)
}

/**
 * What the last `probeRequest` that did not say `no` saw: where the method and the path of the target end, and how far it
 * looked. No line ends before that, so that this part is not searched again.
 */
export let methodEnd = 0
export let pathEnd = 0
export let probedEnd = 0
/** The target has characters that no target may have. */
export let isTargetMalformed = false

/** `token SP target SP HTTP/1.x`: the version at the end tells it from SIP, RTSP and every other line of words. */
export function probeRequest(bytes: Uint8Array, start: number, end: number): Verdict {
  let at = start
  isTargetMalformed = false
  while (at < end && (bytes[at] === CR || bytes[at] === LF)) if (++at - start > 4) return 'no'
  const method = at
  while (at < end && isToken(bytes[at])) if (++at - method > MAX_METHOD_LENGTH) return 'no'
  methodEnd = at
  pathEnd = at
  probedEnd = at
  if (at === end) return 'more'
  if (bytes[at] !== SPACE || at === method) return 'no'
  const target = ++at
  while (at < end && IN_PATH[bytes[at]] === 1) at++
  pathEnd = at
  while (at < end && bytes[at] > SPACE && bytes[at] !== 0x7f) at++
  probedEnd = at
  if (at === end) return at - target >= LONG_TARGET && isUsual(bytes, method, target) ? 'yes' : 'more'
  if (at === target) return 'no'
  const verdict = bytes[at] === SPACE ? version(bytes, at + 1, end, CR) : 'no'
  return verdict === 'no' ? probeMalformed(bytes, method, target, end) : verdict
}

/**
 * A target with blanks or control characters in it (RFC 9112 §3.2 forbids both): after a usual method, before a version at
 * the very end of its line. Servers answer it, mostly with 400, so that it is a request all the same.
 */
function probeMalformed(bytes: Uint8Array, method: number, target: number, end: number): Verdict {
  if (!isUsual(bytes, method, target)) return 'no'
  const stop = Math.min(end, method + MAX_MALFORMED_LINE)
  let lineEnd = target
  while (lineEnd < stop && bytes[lineEnd] !== LF) lineEnd++
  if (lineEnd === method + MAX_MALFORMED_LINE) return 'no'
  if (lineEnd === end) return 'more'
  const after = bytes[lineEnd - 1] === CR ? lineEnd - 1 : lineEnd
  const targetEnd = after - VERSION.length - 2
  if (targetEnd <= target || bytes[targetEnd] !== SPACE) return 'no'
  if (version(bytes, targetEnd + 1, end, CR) !== 'yes') return 'no'
  pathEnd = target
  while (pathEnd < targetEnd && bytes[pathEnd] !== QUERY && bytes[pathEnd] !== FRAGMENT) pathEnd++
  probedEnd = targetEnd
  isTargetMalformed = true
  return 'yes'
}

/** A usual method before a path or an address. */
function isUsual(bytes: Uint8Array, start: number, target: number): boolean {
  const begins = bytes[target] === 0x2f || latin1(bytes, target, target + 7) === 'http://'
  return begins && METHODS.includes(latin1(bytes, start, target - 1))
}

/** `HTTP/1.x SP` and three digits. */
export function probeResponse(bytes: Uint8Array, start: number, end: number): Verdict {
  const verdict = version(bytes, start, end, SPACE)
  if (verdict !== 'yes') return verdict
  const status = start + VERSION.length + 2
  for (let i = 0; i < 3; i++) {
    if (status + i >= end) return 'more'
    const digit = bytes[status + i] - 0x30
    if (digit < (i === 0 ? 1 : 0) || digit > 9) return 'no'
  }
  return 'yes'
}

function version(bytes: Uint8Array, start: number, end: number, after: number): Verdict {
  const length = VERSION.length
  for (let i = 0; i < length; i++) {
    if (start + i >= end) return 'more'
    if (bytes[start + i] !== VERSION[i]) return 'no'
  }
  if (start + length + 1 >= end) return 'more'
  const minor = bytes[start + length]
  const next = bytes[start + length + 1]
  return (minor === 0x30 || minor === 0x31) && (next === after || (after === CR && next === LF))
    ? 'yes'
    : 'no'
}
