import { Malformed } from '@tapdeck/wire'
import { describe, expect, it } from 'vitest'
import { readChunkLine, resync, trailerLength } from './frame.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

describe('a chunk line', () => {
  const read = (text: string) => {
    const line = { lineLength: 0, chunkSize: -1, lineBreak: 0 }
    readChunkLine(bytes(text), 0, text.length, line)
    return [line.lineLength, line.chunkSize, line.lineBreak]
  }

  it('has a size, perhaps extensions, and an end', () => {
    expect(read('1aF\r\nxx')).toEqual([5, 0x1af, 2])
    expect(read('5;name="a\\"b"\r\n')).toEqual([15, 5, 2])
    expect(read('0 \n')).toEqual([3, 0, 1])
  })

  it('waits for its end', () => {
    for (const text of ['', '1', '1f\r', '1f;ext']) expect(read(text)[0]).toBe(0)
  })

  it.each(['xyz\r\n', '\r\n', '-1\r\n', '1g\r\n', '123456789012345\r\n'])('is not this: %j', (text) =>
    expect(() => read(text)).toThrow(Malformed),
  )
})

describe('a trailer section', () => {
  it('ends with an empty line', () => {
    const length = (text: string) => trailerLength(bytes(text), 0, text.length)
    expect(length('\r\nHTTP')).toBe(2)
    expect(length('\n')).toBe(1)
    expect(length('A: b\r\nC: d\r\n\r\nrest')).toBe(14)
    expect(length('A: b\r\n')).toBe(0)
  })
})

describe('after lost bytes', () => {
  const at = (text: string, side: 0 | 1) => resync(bytes(text), 0, text.length, side)

  it('a response is found where it begins', () => {
    expect(at('HTTP/1.1 200 OK\r\n', 1)).toBe(0)
    expect(at('half a body}HTTP/1.1 404 No\r\n', 1)).toBe(12)
    expect(at('see HTTP/1.1 for HTTP/1.0 200 OK', 1)).toBe(17)
    expect(at('nothing of the kind', 1)).toBe(-1)
  })

  it('a request is found by its version', () => {
    expect(at('GET /a HTTP/1.1\r\n', 0)).toBe(0)
    expect(at('body\nMERGE /a HTTP/1.1\r\n', 0)).toBe(5)
    expect(at('{"a":1}POST /b HTTP/1.1\r\n', 0)).toBe(7)
    expect(at('xPUTPATCH /b HTTP/1.1\r\n', 0)).toBe(4)
    expect(at('the /a HTTP/1.1 way of life', 0)).toBe(-1)
  })
})
