import { Malformed } from '@tapdeck/wire'
import fc from 'fast-check'
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

type Resp = string | number | null | Resp[]
const { value: values } = fc.letrec<{ value: Resp }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.oneof(fc.nat(12), fc.nat(1200)).map((length) => 'x'.repeat(length)),
    fc.integer(),
    fc.constant(null),
    fc.array(tie('value'), { maxLength: 12 }),
  ),
}))

function written(value: Resp): string {
  if (value === null) return '$-1\r\n'
  if (typeof value === 'number') return `:${value}\r\n`
  if (typeof value === 'string') return `$${value.length}\r\n${value}\r\n`
  return `*${value.length}\r\n${value.map(written).join('')}`
}

/** The same value, so written that nothing of it is read at a glance. */
function atLength(value: Resp): string {
  if (typeof value === 'string') return `$${String(value.length).padStart(9, '0')}\r\n${value}\r\n`
  if (Array.isArray(value))
    return `*${String(value.length).padStart(9, '0')}\r\n${value.map(atLength).join('')}`
  return written(value)
}

it('reads at a glance what it reads at length', () => {
  fc.assert(
    fc.property(values, fc.nat(), (value, cut) => {
      const [near, far] = [written(value), atLength(value)]
      expect(measure(`${near}$1`)).toBe(near.length)
      expect(measure(`${far}$1`)).toBe(far.length)
      // What is longer may be measured piece by piece.
      if (near.length > 16_000) return
      const part = near.slice(0, cut % near.length)
      // What is still to come of a string is known once its length is.
      const length = measure(part)
      expect(length === 0 || length === near.length).toBe(true)
      const broken = near.replace(/x\r\n(?!.*x\r\n)/s, 'xx\n')
      if (broken !== near) expect(() => measure(broken)).toThrow(Malformed)
    }),
    { numRuns: 300 },
  )
})
