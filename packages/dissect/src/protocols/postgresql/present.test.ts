import { describe, expect, it } from 'vitest'
import { readBound } from './parameters.ts'
import { readResult } from './result.ts'
import { columns, int16, int32, joined, message, row } from './testing-messages.ts'
import { readValue } from './value.ts'

describe('values', () => {
  it.each([
    [16, [1], 't'],
    [21, int16(-2), '-2'],
    [23, int32(-5), '-5'],
    [20, [...int32(0), ...int32(7)], '7'],
    [701, [0x40, 0x12, 0, 0, 0, 0, 0, 0], '4.5'],
    [25, [...Buffer.from('ä')], 'ä'],
    [1082, int32(366), '2001-01-01'],
    [2950, Array.from({ length: 16 }, (_, i) => i), '00010203-0405-0607-0809-0a0b0c0d0e0f'],
    [23, [1], '\\x01'],
    [9999, [1, 255], '\\x01ff'],
  ] as const)('of type %d in binary', (type, bytes, expected) =>
    expect(readValue(Uint8Array.from(bytes), true, type)).toBe(expected),
  )

  it('of a Bind are read as far as they were kept', () => {
    const bytes = joined(
      int16(1),
      int16(1),
      int16(3),
      int32(4),
      int32(42),
      int32(-1),
      int32(2),
      'ab',
      int16(1),
      int16(1),
    )
    expect(readBound(bytes, [23, 0, 25])).toEqual({ values: ['42', null, 'ab'], count: 3, results: [true] })
    expect(readBound(bytes.subarray(0, 15), [23])).toEqual({ values: ['42'], count: 3, results: [] })
  })
})

describe('a result', () => {
  it('is shown as COPY would', () => {
    const bytes = joined(columns('a', 'b'), row('x\ty', 'z\\'), message('D', int16(2), int32(-1), int32(0)))
    expect(readResult(bytes, [])).toEqual({ columns: ['a', 'b'], text: 'x\\ty\tz\\\\\n\\N\t\n' })
  })

  it('that was cut ends where it was cut', () => {
    const bytes = joined(columns('a'), row('hello'))
    expect(readResult(bytes.subarray(0, bytes.length - 2), []).text).toBe('hel\n')
  })
})
