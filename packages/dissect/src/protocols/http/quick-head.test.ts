import type { Side } from '@tapdeck/wire'
import { shadow } from '@tapdeck/wire'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { checkStart } from './frame.ts'
import { FramingHeaders } from './framing-headers.ts'
import { methodEnd, pathEnd, probedEnd } from './probe.ts'
import { quickHead, readQuickly } from './quick-head.ts'

const latin1 = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'))

/** What a head says, read with care; undefined where there is none, or not all of it. */
function carefully(bytes: Uint8Array, start: number, end: number, side: Side) {
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

function quickly(bytes: Uint8Array, start: number, end: number, side: Side) {
  const length = readQuickly(bytes, start, end, side)
  if (length === 0) return undefined
  const headers = new FramingHeaders()
  headers.takeQuick(side)
  return {
    length,
    ...said(headers, side),
    ...(side === 0 && { ends: [quickHead.methodEnd, quickHead.pathEnd] }),
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
  test('what is read quickly is what is read with care', () => {
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
          // Other bytes around it, such as make a head where they are taken for a part of it.
          const bytes = new Uint8Array(before + head.length + 20).fill(0x0a)
          bytes.set(head, before)
          const expected = carefully(bytes, before, stop, side)
          shadow.begin(bytes)
          const found = quickly(bytes, before, stop, side)
          if (found === undefined) return
          read++
          expect(found).toEqual(expected)
        },
      ),
      { numRuns: 10_000 },
    )
    // Others are read with care, which is right as well.
    expect(read).toBeGreaterThan(100)
  })
})

test('a head may stand anywhere in a chunk, and heads that come later are seen', () => {
  const chunk = new Uint8Array(300_000)
  const head = latin1('GET /graph HTTP/1.1\r\nHost: a\r\nContent-Length: 7\r\n\r\n1234567')
  const places = [0, 70, 32_700, 33_000, 150_000, 210, 262_100, chunk.length - head.length]
  for (const at of places) chunk.set(head, at)
  shadow.begin(chunk)
  for (const at of places) {
    expect(readQuickly(chunk, at, at + head.length, 0), `at ${at}`).toBe(head.length - 7)
    expect(quickHead.contentLength).toBe(7)
    expect(quickHead.mayNameGraphql).toBe(true)
  }
})

test('only what was said to last is read quickly, and no more than there is room for', () => {
  const one = latin1('GET /a HTTP/1.1\r\nHost: a\r\n\r\n')
  const other = latin1('GET /bb HTTP/1.1\r\nHost: a\r\n\r\n')
  shadow.begin(one)
  expect(readQuickly(other, 0, other.length, 0)).toBe(0)
  expect(readQuickly(one, 0, one.length, 0)).toBe(one.length)
  shadow.begin(other)
  expect(readQuickly(one, 0, one.length, 0)).toBe(0)
  expect(readQuickly(other, 0, other.length, 0)).toBe(other.length)
  const many = latin1(`GET /a HTTP/1.1\r\n${'Content-Type: a\r\n'.repeat(5000)}\r\n`)
  shadow.begin(many)
  expect(readQuickly(many, 0, many.length, 0)).toBe(0)
  const large = new Uint8Array(2 << 20)
  large.set(one)
  shadow.begin(large)
  expect(readQuickly(large, 0, one.length, 0)).toBe(0)
})
