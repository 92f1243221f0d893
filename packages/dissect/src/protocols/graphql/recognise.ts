import { latin1 } from '../../text/text.ts'
import { startsDocument } from './document.ts'

const SPACE = 0x20
const MARK = 0x3f
const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN = 0x7b
const LIST = 0x5b
/** Bytes of a body in which its `query` is looked for where the path says nothing. */
const LOOKED_AT = 8 * 1024
/** Bytes of a document that must show that it is one. */
const DOCUMENT = 512
const KEY = new TextEncoder().encode('"query"')
/** How far the key must be moved if that byte is at the position of its last one. */
const STEPS = new Uint8Array(256).fill(KEY.length)
for (let at = 0; at < KEY.length - 1; at++) STEPS[KEY[at]] = KEY.length - 1 - at

/** `graphql-path`, `json`: the body decides, see `isGraphqlBody`. */
export type GraphqlHead = 'graphql' | 'graphql-path' | 'json' | undefined

/**
 * What the head of a request says: whether it asks a GraphQL server something. The content type is
 * `head[typeStart, typeEnd)` (-1: there is none), the path `head[pathStart, pathEnd)`.
 */
export function readGraphqlHead(
  head: Uint8Array,
  typeStart: number,
  typeEnd: number,
  pathStart: number,
  pathEnd: number,
): GraphqlHead {
  if (typeStart < 0 && head[pathEnd] !== MARK) return undefined
  const named = namesGraphql(head, pathStart, pathEnd)
  if (typeStart < 0) return named && asksByQuery(head, pathEnd) ? 'graphql' : undefined
  if (begins(head, typeStart, typeEnd, 'application/json')) return named ? 'graphql-path' : 'json'
  if (begins(head, typeStart, typeEnd, 'application/graphql')) return 'graphql'
  return named && begins(head, typeStart, typeEnd, 'multipart/form-data') ? 'graphql' : undefined
}

/** Without a path that says so, only JSON with a `query` that is a document counts: other services have queries, too. */
export function isGraphqlBody(
  head: 'graphql-path' | 'json',
  body: Uint8Array | undefined,
  start: number,
  end: number,
): boolean {
  const first = body === undefined ? -1 : firstByte(body, start, end)
  if (head === 'graphql-path') return first === -1 || first === OPEN || first === LIST || first === 0x1f
  return (
    body !== undefined &&
    (first === OPEN || first === LIST) &&
    mentionsQuery(body, start, end) &&
    hasDocument(body, start, end)
  )
}

/** Whether the text begins with a word, in either case. */
function begins(bytes: Uint8Array, start: number, end: number, word: string): boolean {
  if (end - start < word.length) return false
  for (let i = 0; i < word.length; i++) {
    const byte = bytes[start + i]
    if (byte !== word.charCodeAt(i) && (byte < 0x41 || byte > 0x5a || (byte | SPACE) !== word.charCodeAt(i)))
      return false
  }
  return true
}

/** A segment of the path is `graphql` or `gql`. */
function namesGraphql(head: Uint8Array, start: number, end: number): boolean {
  for (let at = start; at + 3 < end; at++) {
    if (head[at] !== 0x2f || (head[at + 1] | SPACE) !== 0x67) continue
    const stop = head.indexOf(0x2f, at + 1)
    const segment = latin1(head, at + 1, Math.min(at + 9, stop < 0 ? end : Math.min(stop, end))).toLowerCase()
    if (segment === 'graphql' || segment === 'gql') return true
  }
  return false
}

function asksByQuery(head: Uint8Array, start: number): boolean {
  let end = start
  while (end < head.length && head[end] > SPACE) end++
  return /[?&](?:query|extensions|operationName)=/.test(latin1(head, start, end))
}

function firstByte(body: Uint8Array, start: number, end: number): number {
  let at = start
  while (at < end && body[at] <= SPACE && body[at] !== 0x1f) at++
  return at < end ? body[at] : -1
}

/** Most JSON has no such key, and this says so many times faster than reading it: it looks at every fifth byte or so. */
function mentionsQuery(body: Uint8Array, start: number, end: number): boolean {
  for (let last = start + KEY.length - 1; last < end; last += STEPS[body[last]]) {
    if (body[last] !== QUOTE) continue
    const first = last - KEY.length + 1
    let at = 0
    while (body[first + at] === KEY[at]) if (++at === KEY.length) return true
  }
  return false
}

/** Looks for `"query": "…"` in the outermost object, or in the first of a list of them. */
function hasDocument(body: Uint8Array, start: number, stop: number): boolean {
  const end = Math.min(stop, start + LOOKED_AT)
  let depth = 0
  let top = 0
  for (let at = start; at < end; at++) {
    const byte = body[at]
    if (byte === OPEN || byte === LIST) {
      depth++
      if (byte === OPEN && top === 0) top = depth
      if (top === 0 && depth > 1) return false
    } else if (byte === 0x7d || byte === 0x5d) {
      if (depth-- === top) return false
    } else if (byte === QUOTE) {
      const close = closingQuote(body, at + 1, end)
      if (close < 0) return false
      if (depth === top && close - at === 6 && latin1(body, at + 1, close) === 'query') {
        const value = valueAfter(body, close + 1, end)
        if (value < 0) return false
        // The same word may be a value.
        if (value > 0) return body[value] === QUOTE && startsDocument(unescaped(body, value + 1, end))
      }
      at = close
    }
  }
  return false
}

function closingQuote(body: Uint8Array, start: number, end: number): number {
  for (let at = start; at < end; at++) {
    if (body[at] === QUOTE) return at
    if (body[at] === BACKSLASH) at++
  }
  return -1
}

/** Where the value of a key begins that ends before `start`; 0: that was no key; -1: it is not there. */
function valueAfter(body: Uint8Array, start: number, end: number): number {
  let at = start
  while (at < end && body[at] <= SPACE) at++
  if (at >= end) return -1
  if (body[at] !== 0x3a) return 0
  at++
  while (at < end && body[at] <= SPACE) at++
  return at < end ? at : -1
}

/** The beginning of a JSON string, with its escapes for white space and quotes undone. */
function unescaped(body: Uint8Array, start: number, end: number): string {
  const close = closingQuote(body, start, end)
  const text = latin1(body, start, Math.min(close < 0 ? end : close, start + DOCUMENT))
  return text.replace(/\\([nrt"])/g, (_, letter) => (letter === '"' ? '"' : '\n'))
}
