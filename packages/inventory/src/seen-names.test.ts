import { expect, test } from 'vitest'
import { SeenNames } from './seen-names.ts'

const HOUR = 3_600_000

test('an address has the name that was last answered with it, from then on', () => {
  const seen = new SeenNames()
  seen.learn('db.example', '10.0.0.1', 1000, 30)
  expect(seen.name('10.0.0.1', 999)).toBeUndefined()
  expect(seen.name('10.0.0.1', 1000)).toBe('db.example')
  expect(seen.name('10.0.0.2', 1000)).toBeUndefined()
})

test('a name holds for its time to live, and an hour at least', () => {
  const seen = new SeenNames()
  seen.learn('short.example', '10.0.0.1', 0, 5)
  seen.learn('long.example', '10.0.0.2', 0, 86_400)
  expect(seen.name('10.0.0.1', HOUR)).toBe('short.example')
  expect(seen.name('10.0.0.1', HOUR + 1)).toBeUndefined()
  expect(seen.name('10.0.0.2', 24 * HOUR)).toBe('long.example')
})

test('a call that began before the answer was repeated, or before another name took over, keeps its name', () => {
  const seen = new SeenNames()
  seen.learn('a.example', '10.0.0.1', 0, 30)
  seen.learn('a.example', '10.0.0.1', 5000, 30)
  expect(seen.name('10.0.0.1', 2000)).toBe('a.example')
  seen.learn('b.example', '10.0.0.1', 9000, 30)
  expect(seen.name('10.0.0.1', 8000)).toBe('a.example')
  expect(seen.name('10.0.0.1', 9000)).toBe('b.example')
})

test('it keeps no more addresses than it may, and counts those it gave up', () => {
  const seen = new SeenNames(2)
  for (const at of [1, 2, 3]) seen.learn('a.example', `10.0.0.${at}`, at, 30)
  expect([seen.size, seen.forgotten]).toEqual([2, 1])
  expect(seen.name('10.0.0.1', 5)).toBeUndefined()
  expect(seen.name('10.0.0.3', 5)).toBe('a.example')
})
