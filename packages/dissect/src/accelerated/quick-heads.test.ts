import type { Side } from '@tapdeck/wire'
import { chunkMemory } from '@tapdeck/wire'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkStart } from '../protocols/http/frame.ts'
import { FramingHeaders } from '../protocols/http/framing-headers.ts'
import { methodEnd, pathEnd, probedEnd } from '../protocols/http/probe.ts'
import { threadFastPaths } from './fast-paths.ts'

const { heads } = threadFastPaths

const latin1 = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'))

/** What the full parser reads; undefined if there is no complete head. */
function readFully(bytes: Uint8Array, start: number, end: number, side: Side) {
  try {
    checkStart(bytes, start, end, side)
  } catch {
    return undefined
  }
  const headers = new FramingHeaders()
  const length = headers.scan(bytes, start, end, side === 0 ? probedEnd : start)
  if (length <= 0) return undefined
  headers.read(bytes, start, start + length, side, methodEnd - start)
  return { length, ...said(headers, side), ...(side === 0 && { ends: [methodEnd - start, pathEnd - start] }) }
}

function readFast(bytes: Uint8Array, start: number, end: number, side: Side) {
  const length = heads.read(bytes, start, end, side)
  if (length === 0) return undefined
  const headers = new FramingHeaders()
  headers.takeQuick(heads, side)
  return {
    length,
    ...said(headers, side),
    ...(side === 0 && { ends: [heads.methodEnd, heads.pathEnd] }),
  }
}

function said(headers: FramingHeaders, side: Side) {
  const { contentLength, transferEncoding, chunked, upgrade, ambiguous, typeStart, typeEnd } = headers
  return {
    contentLength,
    transferEncoding,
    chunked,
    upgrade,
    ambiguous,
    ...(side === 0
      ? { method: headers.method, type: typeStart < 0 ? undefined : [typeStart, typeEnd] }
      : { status: headers.status }),
  }
}

const some = fc.string({ maxLength: 40, unit: fc.constantFrom(...'abgz/:?#; \t\r\n\x7f-019\xfcQ') })
const target = fc.oneof(fc.constantFrom('/', '/a/b?c=d', '/graphql?query=x', '/a#b', '*', 'http://h/'), some)
const first = [
  fc.tuple(
    fc.constantFrom('GET', 'POST', 'PUT', 'HEAD', 'DELETE', 'DELETF', 'GETS', 'PATCH', 'OPTIONS', ''),
    target,
    fc.constantFrom('HTTP/1.1', 'HTTP/1.1', 'HTTP/1.0', 'HTTP/1.2', 'HTTP/2.0', 'RTSP/1.0'),
  ),
  fc.tuple(
    fc.constantFrom('HTTP/1.1', 'HTTP/1.0', 'HTTP/1.2', 'HTTP/0.1'),
    fc.oneof(fc.constantFrom('200', '404', '99', '1000', '0200', '2x0', '/00'), fc.nat(999).map(String)),
    some,
  ),
] as const
const value = fc.oneof(
  fc.constantFrom(
    '0',
    '12',
    ' 345 ',
    '1, 1',
    '123456789',
    '1234567890',
    '-1',
    '12\r\n 3',
    'application/json',
    'chunked',
  ),
  some,
)
const field = fc
  .tuple(
    fc.constantFrom(
      ...[
        'Content-Length',
        'content-length',
        'CONTENT-TYPE',
        'Content-Type',
        'Content-Encoding',
        'Content\rType',
      ],
      ...['Transfer-Encoding', 'Upgrade', 'Upgrade-Insecure-Requests', 'Host', 'Cookie', 'Content', 'X'],
    ),
    fc.constantFrom(': ', ':', ' :', ':\t ', '\x1a'),
    value,
  )
  .map((parts) => parts.join(''))
const lineEnd = fc.oneof({ weight: 12, arbitrary: fc.constant('\r\n') }, fc.constantFrom('\n', '\r'))

describe.each([0, 1] as const)('of side %i', (side) => {
  test('the fast parser and the full parser give the same result', () => {
    let read = 0
    fc.assert(
      fc.property(
        first[side],
        fc.array(fc.tuple(field, lineEnd), { maxLength: 5 }),
        lineEnd,
        fc.nat(70),
        fc.nat(20),
        fc.string(),
        (line, fields, end, before, cut, body) => {
          const lines = fields.map((each) => each.join('')).join('')
          const head = latin1(`${line.join(' ')}${end}${lines}${end}${body}`)
          const stop = before + head.length - (cut > 16 ? cut : 0)
          if (stop <= before) return
          // Bytes around it that would complete the head if they were read.
          const bytes = new Uint8Array(before + head.length + 20).fill(0x0a)
          bytes.set(head, before)
          const expected = readFully(bytes, before, stop, side)
          chunkMemory.begin(bytes)
          const found = readFast(bytes, before, stop, side)
          if (found === undefined) return
          read++
          expect(found).toEqual(expected)
        },
      ),
      { numRuns: 10_000 },
    )
    expect(read).toBeGreaterThan(100)
  })
})

test('a head may be anywhere in a chunk, and later heads are seen', () => {
  const chunk = new Uint8Array(300_000)
  const head = latin1('GET /graph HTTP/1.1\r\nHost: a\r\nContent-Length: 7\r\n\r\n1234567')
  const places = [0, 70, 32_700, 33_000, 150_000, 210, 262_100, chunk.length - head.length]
  for (const at of places) chunk.set(head, at)
  chunkMemory.begin(chunk)
  for (const at of places) {
    expect(heads.read(chunk, at, at + head.length, 0), `at ${at}`).toBe(head.length - 7)
    expect(heads.contentLength).toBe(7)
    expect(heads.mayNameGraphql).toBe(true)
  }
})

test('only the current stable chunk is read, and no more lines than fit into the notes', () => {
  const one = latin1('GET /a HTTP/1.1\r\nHost: a\r\n\r\n')
  const other = latin1('GET /bb HTTP/1.1\r\nHost: a\r\n\r\n')
  chunkMemory.begin(one)
  expect(heads.read(other, 0, other.length, 0)).toBe(0)
  expect(heads.read(one, 0, one.length, 0)).toBe(one.length)
  chunkMemory.begin(other)
  expect(heads.read(one, 0, one.length, 0)).toBe(0)
  expect(heads.read(other, 0, other.length, 0)).toBe(other.length)
  const many = latin1(`GET /a HTTP/1.1\r\n${'Content-Type: a\r\n'.repeat(5000)}\r\n`)
  chunkMemory.begin(many)
  expect(heads.read(many, 0, many.length, 0)).toBe(0)
  const large = new Uint8Array(2 << 20)
  large.set(one)
  chunkMemory.begin(large)
  expect(heads.read(large, 0, one.length, 0)).toBe(0)
})
