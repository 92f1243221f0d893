import { describe, expect, it } from 'vitest'
import { FramingHeaders } from './framing-headers.ts'

function read(fields: string, start = 'POST /x HTTP/1.1\r\n'): FramingHeaders {
  const bytes = new TextEncoder().encode(`..${start}${fields}\r\n`)
  const headers = new FramingHeaders()
  const length = headers.scan(bytes, 2, bytes.length, 2)
  expect(length).toBe(bytes.length - 2)
  headers.read(bytes, 2, bytes.length, start.startsWith('HTTP/') ? 1 : 0, start.indexOf(' '))
  return headers
}

describe('what a head says of its body', () => {
  it('is its length', () => {
    expect(read('Content-Length: 12\r\n')).toMatchObject({ method: 'POST', contentLength: 12, ambiguous: '' })
    expect(read('CONTENT-LENGTH:\t12 \r\n').contentLength).toBe(12)
    expect(read('X-Content-Length: 5\r\nContent-Type: a\r\n').contentLength).toBe(-1)
    expect(read('content-length: 0\r\n', 'HTTP/1.1 404 No\r\n')).toMatchObject({
      status: 404,
      contentLength: 0,
    })
  })

  it('may be said twice, if it is the same', () => {
    expect(read('Content-Length: 12\r\nContent-Length: 12\r\n')).toMatchObject({
      contentLength: 12,
      ambiguous: '',
    })
    expect(read('Content-Length: 12, 12\r\n')).toMatchObject({ contentLength: 12, ambiguous: '' })
  })

  it('is noted where readers could disagree', () => {
    expect(read('Content-Length: 12\r\nContent-Length: 13\r\n')).toMatchObject({
      contentLength: 12,
      ambiguous: 'content-length',
    })
    expect(read('Content-Length: +12\r\n')).toMatchObject({ contentLength: -1, ambiguous: 'content-length' })
    expect(read('Content-Length: 99999999999999999999\r\n')).toMatchObject({
      contentLength: -1,
      ambiguous: 'content-length',
    })
    expect(read('Content-Length: 12\r\nTransfer-Encoding: chunked\r\n')).toMatchObject({
      contentLength: -1,
      chunked: true,
      ambiguous: 'transfer-encoding and content-length',
    })
  })

  it('is chunked only where that is the last coding', () => {
    expect(read('Transfer-Encoding: gzip, chunked\r\n')).toMatchObject({
      transferEncoding: true,
      chunked: true,
    })
    expect(read('Transfer-Encoding: gzip\r\nTransfer-Encoding: Chunked\r\n')).toMatchObject({ chunked: true })
    expect(read('Transfer-Encoding: chunked, gzip\r\n')).toMatchObject({
      transferEncoding: true,
      chunked: false,
    })
    expect(read('Transfer-Encoding: identity\r\n')).toMatchObject({ transferEncoding: false })
    expect(read('Transfer-Encoding: gzip,\r\n chunked\r\n')).toMatchObject({ chunked: true })
  })

  it('is found on lines that end in a bare LF, too', () => {
    expect(read('Content-Length: 12\n', 'POST /x HTTP/1.1\n').contentLength).toBe(12)
  })

  it('is found however the head comes in pieces', () => {
    const bytes = new TextEncoder().encode(
      'HTTP/1.1 200 OK\r\nUpgrade: WebSocket\r\nContent-Length: 7\r\n\r\nrest',
    )
    const headers = new FramingHeaders()
    let known = 0
    for (let end = 1; end <= bytes.length; end++) {
      const length = headers.scanRest(bytes, 0, end, known)
      if (length > 0) {
        expect([length, end]).toEqual([bytes.length - 4, bytes.length - 4])
        break
      }
      known = -length
    }
    headers.read(bytes, 0, bytes.length - 4, 1, 0)
    expect(headers).toMatchObject({ status: 200, upgrade: 'websocket', contentLength: 7 })
  })
})
