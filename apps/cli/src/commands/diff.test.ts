import { expect, test } from 'vitest'
import { windowsOf } from './diff.ts'

const given = {
  since: undefined,
  'a-start': undefined,
  'a-end': undefined,
  'b-start': undefined,
  'b-end': undefined,
}

test('--since compares the most recent time with as much time before it', () => {
  expect(windowsOf({ ...given, since: '1m' }, 1_000_000)).toEqual({
    a_start: '880000',
    a_end: '940000',
    b_start: '940000',
    b_end: '1000000',
  })
})

test('--since with a window of its own is a usage error', () => {
  expect(() => windowsOf({ ...given, since: '1m', 'a-end': '5' })).toThrow('--since')
  expect(windowsOf({ ...given, 'a-end': '5' })).toMatchObject({ a_end: '5' })
})
