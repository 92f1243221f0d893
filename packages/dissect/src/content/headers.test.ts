import { bytes } from '@tapdeck/wire/testing'
import { describe, expect, it } from 'vitest'
import { headerValue, readFields, readHead, toHeaders } from './headers.ts'

describe('a head', () => {
  it('has a first line and fields, with folded lines joined', () => {
    expect(readHead(bytes('GET / HTTP/1.1\r\nHost: a\r\nX-Long: one\r\n\ttwo\r\n\r\n'))).toEqual({
      line: 'GET / HTTP/1.1',
      fields: [
        ['host', 'a'],
        ['x-long', 'one two'],
      ],
    })
  })

  it('finds a field in any case', () => {
    expect(headerValue(bytes('X\r\nContent-TYPE:  text/plain \r\n'), 'content-type')).toBe('text/plain')
    expect(headerValue(bytes('X\r\n'), 'content-type')).toBeUndefined()
  })
})

describe('fields', () => {
  it('may begin with a colon, and need one', () => {
    expect(readFields([':path: /a', 'nonsense', ':', 'a:b:c'])).toEqual([
      [':path', '/a'],
      ['a', 'b:c'],
    ])
  })

  it('that are repeated are joined, except set-cookie', () => {
    const headers = toHeaders([
      ['via', 'a'],
      ['via', 'b'],
      ['cookie', 'x=1'],
      ['cookie', 'y=2'],
      ['set-cookie', 'p'],
      ['set-cookie', 'q'],
    ])
    expect({ ...headers }).toEqual({ via: 'a, b', cookie: 'x=1; y=2', 'set-cookie': ['p', 'q'] })
  })

  it('with names such as __proto__ are harmless', () => {
    expect(toHeaders([]).constructor).toBeUndefined()
  })
})
