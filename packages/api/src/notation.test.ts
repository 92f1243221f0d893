import { describe, expect, it } from 'vitest'
import { duration, parseTime, size, thingName, time } from './notation.ts'

it('a duration is more than zero', () => {
  expect(duration.parse('1h30m')).toBe(5_400_000)
  expect(duration.safeParse('0s').success).toBe(false)
  expect(duration.safeParse('soon').error?.issues[0]?.message).toContain('"soon" is no duration')
})

it('a size is a whole number of bytes, more than zero', () => {
  expect(['500Mi', '1K', '1KB', 1500].map((value) => size.parse(value))).toEqual([
    524_288_000, 1000, 1000, 1500,
  ])
  for (const wrong of ['0', '5m', '99999999Ti', -1])
    expect(size.safeParse(wrong).success, String(wrong)).toBe(false)
})

it('durations beyond all reason are those at the edge of it, and can be written down again', () => {
  for (const text of [`${'9'.repeat(30)}d`, '99999999999999d', '0.0000001ms'])
    expect(duration.parse(`${duration.parse(text)}ms`), text).toBe(duration.parse(text))
})

describe('times', () => {
  it('are Unix milliseconds or RFC 3339', () => {
    expect(parseTime('1700000000000')).toBe(1_700_000_000_000)
    expect(parseTime('1700000000000.25')).toBe(1_700_000_000_000.25)
    expect(parseTime('2023-11-14T22:13:20Z')).toBe(1_700_000_000_000)
    expect(parseTime('2023-11-14T23:13:20.5+01:00')).toBe(1_700_000_000_500)
    expect(time.parse(5)).toBe(5)
  })

  it('are no seconds: a window from 1970 on would be all there is', () => {
    for (const seconds of [1_769_860_800, '1769860800', '1769860800.5'])
      expect(time.safeParse(seconds).error?.issues[0]?.message).toMatch(
        /counts seconds.*write 17698608005?00/,
      )
    expect(time.parse('1970-01-21T11:37:40Z')).toBe(1_769_860_000)
    expect(time.parse(0)).toBe(0)
  })

  it('are nothing else', () => {
    for (const text of [
      '',
      'now',
      '2023-11-14',
      '2023-11-14T22:13:20',
      '2023-13-99T00:00:00Z',
      '2023-02-29T00:00:00Z',
      '-5',
      '1e9',
      '9999999999999999',
    ])
      expect(parseTime(text), text).toBeUndefined()
    for (const number of [-1, 8.64e15 + 1, 1e300, Number.POSITIVE_INFINITY])
      expect(time.safeParse(number).success, String(number)).toBe(false)
    expect(time.parse(8.64e15)).toBe(8.64e15)
    for (const wrong of [true, null, {}, []])
      expect(time.safeParse(wrong).error?.issues[0]?.message).toContain('Unix milliseconds or RFC 3339')
  })
})

it('names are plain, short and lead nowhere', () => {
  for (const name of ['a', '0', 'check-1', 'a.b_c-d', 'x'.repeat(64)])
    expect(thingName.safeParse(name).success, name).toBe(true)
  for (const name of ['', '.', '..', '.a', '-a', '_a', 'A', 'a/b', 'a b', 'ä', 'a\n', 'x'.repeat(65)])
    expect(thingName.safeParse(name).success, name).toBe(false)
})
