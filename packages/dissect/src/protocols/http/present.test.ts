import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import type { Message } from '../../contract/message.ts'
import { PlacedMessage } from '../../message/placed-message.ts'
import { present, summarize } from './present.ts'
import { methodEnd, pathEnd, probeRequest } from './probe.ts'
import { protocolOf, readHead } from './spoken-as.ts'
import { marksOf } from './start-line.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const ask = (head: string, more: Partial<Message> = {}) =>
  present({ protocol: 'http', request: { kind: 'request', head: bytes(head), ...more } }).request
const answer = (head: string, more: Partial<Message> = {}) =>
  present({ protocol: 'http', response: { kind: 'response', head: bytes(head), ...more } }).response

describe('a request as people see it', () => {
  it('has its parts', () => {
    expect(
      ask(
        'GET /a/b?x=1&y=2&x=3&z=a%20b+c&empty HTTP/1.1\r\nHost: shop:8080\r\nCookie: a=1; b=x=y\r\nX-Two: 1\r\nX-Two: 2\r\n\r\n',
      ),
    ).toEqual({
      method: 'GET',
      url: 'http://shop:8080/a/b?x=1&y=2&x=3&z=a%20b+c&empty',
      path: '/a/b',
      query: { x: ['1', '3'], y: '2', z: 'a b c', empty: '' },
      http_version: '1.1',
      cookies: { a: '1', b: 'x=y' },
      headers: { host: 'shop:8080', cookie: 'a=1; b=x=y', 'x-two': '1, 2' },
      headers_size: 106,
      body_size: 0,
    })
  })

  it('keeps names that mean something to JavaScript harmless', () => {
    const request = ask('GET /?__proto__=1&constructor=2 HTTP/1.1\r\n__proto__: x\r\n\r\n')
    expect(request?.query).toEqual(
      Object.assign(Object.create(null), { ['__proto__']: '1', constructor: '2' }),
    )
    expect(request?.headers?.constructor).toBeUndefined()
  })

  it('joins folded lines', () => {
    expect(ask('GET / HTTP/1.1\r\nX-Long: one\r\n  two\r\n\tthree\r\n\r\n')?.headers).toEqual({
      'x-long': 'one two three',
    })
  })

  it('shows escapes that are none as they are', () => {
    expect(ask('GET /?a=%zz HTTP/1.1\r\n\r\n')?.query).toEqual({ a: '%zz' })
  })
})

describe('a response as people see it', () => {
  it('has status, reason and cookies', () => {
    expect(
      answer('HTTP/1.0 302 Found  \r\nSet-Cookie: a=1; Path=/\r\nSet-Cookie: b=2\r\n\r\n'),
    ).toMatchObject({
      status: 302,
      reason: 'Found',
      http_version: '1.0',
      cookies: { a: '1', b: '2' },
      headers: { 'set-cookie': ['a=1; Path=/', 'b=2'] },
    })
    expect(answer('HTTP/1.1 204\r\n\r\n')).not.toHaveProperty('reason')
  })

  const text = Array.from({ length: 200 }, (_, i) => `word ${(i * 7919) % 1009} after word ${i * i}`).join(
    '\n',
  )
  it.each([
    ['gzip', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['br', brotliCompressSync(text)],
    ['gzip, br', brotliCompressSync(gzipSync(text))],
  ])('unpacks %s', (coding, body) => {
    expect(answer(`HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\n\r\n`, { body })).toMatchObject({
      body: text,
      body_size: body.length,
    })
  })

  it.each([
    ['gzip', gzipSync(text)],
    ['br', brotliCompressSync(text)],
  ])('unpacks what there is of a cut %s body', (coding, body) => {
    const shown = answer(`HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\n\r\n`, {
      body: body.subarray(0, body.length - 12),
      bodySize: body.length,
      truncated: true,
    })
    expect(shown?.body?.startsWith(text.slice(0, 200))).toBe(true)
    expect(shown).toMatchObject({ truncated: true, body_size: body.length })
  })

  it('does not unpack a bomb', () => {
    const body = gzipSync(Buffer.alloc(50_000_000))
    expect(answer('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n', { body })).toMatchObject({
      body_encoding: 'base64',
      body_decoded: false,
    })
  })

  it('shows as base64 what is no text', () => {
    expect(answer('HTTP/1.1 200 OK\r\n\r\n', { body: Uint8Array.of(0, 255) })).toMatchObject({
      body: 'AP8=',
      body_encoding: 'base64',
    })
    expect(answer('HTTP/1.1 200 OK\r\n\r\n', { body: bytes('grüße\n') })).toMatchObject({ body: 'grüße\n' })
  })

  it('may be cut inside a character', () => {
    const body = bytes('grü').subarray(0, 3)
    expect(answer('HTTP/1.1 200 OK\r\n\r\n', { body, truncated: true })?.body).toBe('gr')
  })
})

describe('the summary', () => {
  it('names a failure from 400 on', () => {
    const summary = (line: string) =>
      summarize({ protocol: 'http', response: { kind: 'response', head: bytes(`${line}\r\n\r\n`) } })
    expect(summary('HTTP/1.1 399 Fine')).toEqual({ status: 399 })
    expect(summary('HTTP/1.1 400 Bad Request')).toEqual({ status: 400, failure: '400 Bad Request' })
    expect(summary('HTTP/1.1 500 ')).toEqual({ status: 500, failure: '500' })
  })
})

describe('what was noted of a request line while it was read', () => {
  it.each([
    'GET / HTTP/1.1',
    'GET /a/b?c=/d HTTP/1.1',
    'POST /a#b?c HTTP/1.1',
    'OPTIONS * HTTP/1.1',
    'GET http://host/a?b HTTP/1.0',
    'GET ?a HTTP/1.1',
    'CONNECT host:443 HTTP/1.1',
    'PROPFIND /a?b#c HTTP/1.1',
    'GET /grün?a HTTP/1.1',
    `GET /${'x'.repeat(5000)}?y HTTP/1.1`,
  ])('says the same as the line: %s', (line) => {
    const head = bytes(`${line}\r\nHost: a\r\n\r\n`)
    expect(probeRequest(head, 0, head.length)).toBe('yes')
    const marks = marksOf(head, 0, methodEnd, pathEnd)
    const noted = summarize({ protocol: 'http', request: { kind: 'request', head, marks } })
    const found = summarize({ protocol: 'http', request: { kind: 'request', head } })
    expect([noted.method, noted.path]).toEqual([found.method, found.path])
    expect(noted.path).toBeDefined()
    const placed = new PlacedMessage('request')
    const packet = bytes(`other bytes ${line}\r\nHost: a\r\n\r\nand more`)
    placed.placeHead(packet, 12, 12 + head.length)
    placed.marks = marks
    const read = summarize({ protocol: 'http', request: placed })
    expect([read.method, read.path]).toEqual([found.method, found.path])
    const spoken = (known: number) => protocolOf(readHead(head, 0, -1, -1, known), undefined, 0, 0)
    expect(spoken(marks)).toBe(spoken(0))
  })
})
