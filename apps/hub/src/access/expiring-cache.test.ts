import { expect, test } from 'vitest'
import { ExpiringCache } from './expiring-cache.ts'

test('an entry is valid until its time', () => {
  const cache = new ExpiringCache<string | undefined>(10)
  cache.set('a', 'x', 100)
  cache.set('unknown', undefined, 100)
  expect(cache.get('a', 99)?.value).toBe('x')
  expect(cache.get('unknown', 99)).toMatchObject({ value: undefined })
  expect(cache.get('a', 100)).toBeUndefined()
})

test('beyond the bound the entry that was written first is dropped', () => {
  const cache = new ExpiringCache<number>(2)
  for (const key of ['a', 'b', 'a', 'c']) cache.set(key, 1, 100)
  expect(['a', 'b', 'c'].map((key) => cache.get(key, 0) !== undefined)).toEqual([true, false, true])
})
