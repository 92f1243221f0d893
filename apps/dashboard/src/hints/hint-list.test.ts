import { expect, test } from 'vitest'
import { hintOf, isSeen, readSeenHints } from './hint-list.ts'

test('every view but the documentation has a hint; the calls of the demo have their own', () => {
  expect(hintOf('calls', false)?.next).toBeUndefined()
  expect(hintOf('calls', true)?.next?.view).toBe('suspects')
  expect(hintOf('map', true)).toBe(hintOf('map', false))
  expect(hintOf('docs', true)).toBeUndefined()
})

test('a hint that was closed stays closed, and so do all after "no more hints"', () => {
  expect(isSeen(['map'], 'map')).toBe(true)
  expect(isSeen(['map'], 'calls')).toBe(false)
  expect(isSeen(['all'], 'calls')).toBe(true)
})

test('what the browser kept is checked', () => {
  expect(readSeenHints(['map', 'all'])).toEqual(['map', 'all'])
  for (const value of [null, 'map', [1], { map: true }]) expect(readSeenHints(value)).toBeUndefined()
})
