import { Malformed } from '@tapdeck/wire'
import { describe, expect, it } from 'vitest'
import { ValueCutter } from './frame.ts'

const bytes = (text: string) => new TextEncoder().encode(text)
const measure = (text: string) => {
  const data = bytes(text)
  return new ValueCutter().measure(data, 0, data.length)
}

describe('a value ends', () => {
  it.each([
    '+OK\r\n',
    ':-5\r\n',
    '$0\r\n\r\n',
    '$-1\r\n',
    '*-1\r\n',
    '*0\r\n',
    '%1\r\n+a\r\n:1\r\n',
    '|1\r\n+a\r\n:1\r\n+OK\r\n',
    '*2\r\n*1\r\n:1\r\n$1\r\nx\r\n',
    '=7\r\ntxt:abc\r\n',
    '(123456789012345678901234567890\r\n',
  ])('where %j ends', (text) => {
    expect(measure(`${text}+next\r\n`)).toBe(text.length)
    for (let cut = 1; cut < text.length; cut++) {
      const length = measure(text.slice(0, cut))
      expect(length === 0 || length === text.length).toBe(true)
    }
  })

  it('at the same place however it drips in', () => {
    const whole = bytes(`*900\r\n${'$30\r\n123456789012345678901234567890\r\n'.repeat(900)}`)
    const cutter = new ValueCutter()
    let start = 0
    for (let end = 1; end <= whole.length; end++) {
      const length = cutter.measure(whole, start, end)
      if (length === 0) continue
      start += length
      expect(cutter.ends).toBe(start === whole.length)
    }
    expect(start).toBe(whole.length)
  })

  it.each([
    '?\r\n',
    '$x\r\n',
    '$3\r\nabcd\r\n',
    '$-2\r\n',
    '*99999999999\r\n',
    ':\r\n',
    '+a\n',
    '$99999999999999999999999\r\n',
  ])('nowhere in %j', (text) => expect(() => measure(text)).toThrow(Malformed))
})
