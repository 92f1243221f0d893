import { describe, expect, it } from 'vitest'
import { probe } from './probe.ts'

const ask = (text: string, side: 0 | 1 = 0) => probe(new TextEncoder().encode(text), 0, text.length, side)

describe('the beginning of HTTP', () => {
  it.each([
    'GET / HTTP/1.1\r\n',
    'PURGE /x HTTP/1.0\r\n',
    'M-SEARCH * HTTP/1.1\n',
    '\r\nPOST http://a/b HTTP/1.1\r\n',
    'CONNECT a:443 HTTP/1.1\r\n',
  ])('is a request line: %j', (text) => expect(ask(text)).toBe('yes'))

  it.each(['HTTP/1.1 200 OK\r\n', 'HTTP/1.0 404\r\n', 'HTTP/1.1 599 '])(
    'is a status line of the server: %j',
    (text) => {
      expect(ask(text, 1)).toBe('yes')
      expect(ask(text, 0)).toBe('no')
    },
  )

  it.each(['G', 'GET', 'GET ', 'GET /', 'GET / ', 'GET / HTTP/', 'GET / HTTP/1.1', ''])(
    'may be cut: %j',
    (text) => expect(ask(text)).toBe('more'),
  )

  it.each([
    'INVITE sip:a@b SIP/2.0\r\n',
    'OPTIONS rtsp://a/b RTSP/1.0\r\n',
    'REQMOD icap://a/b ICAP/1.0\r\n',
    'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
    'GET key\r\n',
    'SET key value\r\n',
    'HELO example.com\r\n',
    'USER anonymous\r\n',
    'SUB foo.bar 1\r\n',
    'GET / HTTP/1.2\r\n',
    '\x16\x03\x01\x02\x00\x01\x00',
    'x'.repeat(40),
    ' GET / HTTP/1.1\r\n',
  ])('is not this: %j', (text) => expect(ask(text)).toBe('no'))

  it.each([
    'SIP/2.0 200 OK\r\n',
    'RTSP/1.0 200 OK\r\n',
    'HTTP/2.0 200 OK\r\n',
    'HTTP/1.1 abc\r\n',
    '220 smtp ready\r\n',
  ])('is not this answer: %j', (text) => expect(ask(text, 1)).toBe('no'))

  it('may be a target longer than what is looked at', () => {
    expect(ask(`GET /${'a'.repeat(2000)}`)).toBe('yes')
    expect(ask(`GET ${'a'.repeat(2000)}`)).toBe('more')
    expect(ask(`SET /${'a'.repeat(2000)}`)).toBe('more')
  })
})
