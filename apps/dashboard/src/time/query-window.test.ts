import { expect, test } from 'vitest'
import { isMoving, queryWindow } from './query-window.ts'

const place = { db: undefined, start: undefined, end: undefined, last: '5m' } as const

test('live traffic is asked for the last minutes, fixed times and dissections as they are', () => {
  expect(queryWindow(place, 1_000_000)).toEqual({ start: 700_000, end: 1_000_000 })
  expect(queryWindow({ ...place, start: 1, end: 2 }, 1_000_000)).toEqual({ start: 1, end: 2 })
  expect(queryWindow({ ...place, db: 'a/b' }, 1_000_000)).toEqual({})
  expect([place, { ...place, start: 1, end: 2 }, { ...place, db: 'a/b' }].map(isMoving)).toEqual([
    true,
    false,
    false,
  ])
})
