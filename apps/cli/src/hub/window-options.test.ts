import { expect, test } from 'vitest'
import { windowOf } from './window-options.ts'

const given = { since: undefined, start: undefined, end: undefined }

test('--since is the time before now, and --end may end it', () => {
  expect(windowOf({ ...given, since: '5m' }, 1_000_000)).toEqual({ start: '700000', end: undefined })
  expect(windowOf({ ...given, since: '5m', end: '900000' }, 1_000_000)).toEqual({
    start: '700000',
    end: '900000',
  })
})

test('without --since, --start and --end are passed on', () => {
  expect(windowOf({ ...given, start: '1', end: '2' })).toEqual({ start: '1', end: '2' })
})

test('--since with --start, and a text that is not a duration, are usage errors', () => {
  expect(() => windowOf({ ...given, since: '5m', start: '1' })).toThrow('--since and --start')
  for (const since of ['soon', '0s', '']) expect(() => windowOf({ ...given, since })).toThrow('--since')
})
