import { word } from '../../text/text.ts'

const SPACE = 0x20
const SLASH = 0x2f
const LF = 0x0a
const CR = 0x0d
/** Of `HTTP/`. */
const LETTER_H = 0x48
const FRAGMENT = 0x23
/** Alone it means unknown: HTTP/2 may refer to headers that were sent before the capture began. */
const UNKNOWN = 0x3f

/** Room for the length of a method in `Message.marks`. */
const METHOD_BITS = 6
const MAX_PATH_PARTS = 1 << 20

/** `Message.marks` of a request line at `start`: the ends of its method and of its path; 0 where the latter needs a look. */
export function marksOf(bytes: Uint8Array, start: number, methodEnd: number, pathEnd: number): number {
  const length = pathEnd - start
  return bytes[methodEnd + 1] === SLASH && bytes[pathEnd] !== FRAGMENT && length < MAX_PATH_PARTS
    ? (length << METHOD_BITS) | (methodEnd - start)
    : 0
}

export function markedMethodEnd(marks: number): number {
  return marks & ((1 << METHOD_BITS) - 1)
}

export function markedPathEnd(marks: number): number {
  return marks >> METHOD_BITS
}

/** The request's method. HTTP/2 heads are written the same way, with `HTTP/2` for a version. */
export function methodOf(head: Uint8Array): string | undefined {
  const end = until(head, 0, SPACE, SPACE)
  return end === 1 && head[0] === UNKNOWN ? undefined : word(head, 0, end)
}

/** The target's path without its query: RFC 9112 §3.2. */
export function pathOf(head: Uint8Array): string | undefined {
  let start = until(head, 0, SPACE, SPACE) + 1
  const stop = targetEnd(head, start)
  if (stop === start + 1 && head[start] === UNKNOWN) return undefined
  if (head[start] !== SLASH) start = afterAuthority(head, start, stop)
  const end = Math.min(stop, until(head, start, 0x3f, FRAGMENT))
  return start === end ? '/' : word(head, start, end)
}

/** Where the target ends that begins at `start`: before the version, which is the last word of the line. */
function targetEnd(head: Uint8Array, start: number): number {
  const blank = until(head, start, SPACE, SPACE)
  // A line without a version ends with its target.
  if (head[blank] !== SPACE) return head[blank - 1] === CR ? blank - 1 : blank
  if (head[until(head, blank + 1, SPACE, SPACE)] !== SPACE) return blank
  let end = until(head, start, LF, LF)
  while (end > blank && head[end] !== SPACE) end--
  return head[end + 1] === LETTER_H ? end : blank
}

/** The status of the response whose head begins at `start`. */
export function statusAt(head: Uint8Array, start: number): number | undefined {
  const at =
    head[start + 6] !== SPACE && head[start + 8] === SPACE ? start + 9 : until(head, start, SPACE, SPACE) + 1
  if (head[at] === UNKNOWN) return undefined
  return (head[at] - 0x30) * 100 + (head[at + 1] - 0x30) * 10 + (head[at + 2] - 0x30)
}

/** Code and reason as they stand: `500 Internal Server Error`. */
export function statusLineOf(head: Uint8Array): string {
  const start = until(head, 0, SPACE, SPACE) + 1
  let end = until(head, start, 0x0d, 0x0a)
  while (end > start && head[end - 1] === SPACE) end--
  return word(head, start, end)
}

/** Absolute form has its path after the authority; `*` and authority form are taken as they are. */
function afterAuthority(head: Uint8Array, start: number, stop: number): number {
  for (let i = start; i + 2 < stop; i++)
    if (head[i] === 0x3a && head[i + 1] === 0x2f && head[i + 2] === 0x2f)
      return Math.min(stop, until(head, i + 3, SLASH, 0x3f))
  return start
}

function until(head: Uint8Array, from: number, one: number, other: number): number {
  const { length } = head
  let at = from
  for (; at < length; at++) {
    const byte = head[at]
    if (byte === one || byte === other || byte === 0x0a) break
  }
  return at
}
