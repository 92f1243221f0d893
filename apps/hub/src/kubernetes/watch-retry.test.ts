import { expect, test } from 'vitest'
import { WatchRetry } from './watch-retry.ts'

const REFUSED_MS = 60_000

test('the first refusal of a server that was away for long is asked again within a second, as are the next ones', () => {
  const retry = new WatchRetry(REFUSED_MS)
  const away = Array.from({ length: 8 }, () => retry.waitAfter('away'))
  expect(away.at(-1)).toBeGreaterThanOrEqual(15_000)
  expect(retry.waitAfter('refused')).toBeLessThanOrEqual(500)
  expect(retry.waitAfter('refused')).toBeLessThanOrEqual(1000)
})

test('a right that is missing is asked for ever more seldom, up to a limit, until a change arrives', () => {
  const retry = new WatchRetry(REFUSED_MS)
  const waits = Array.from({ length: 20 }, () => retry.waitAfter('refused'))
  expect(waits.at(-1)).toBeGreaterThanOrEqual(REFUSED_MS / 2)
  expect(Math.max(...waits)).toBeLessThanOrEqual(REFUSED_MS)
  retry.reset()
  expect(retry.waitAfter('refused')).toBeLessThanOrEqual(500)
})

test('after an expired version the first list does not wait, the next ones do', () => {
  const retry = new WatchRetry(REFUSED_MS)
  expect(retry.waitAfter('expired')).toBe(0)
  expect(retry.waitAfter('expired')).toBeGreaterThan(0)
})

test('a watch that is closed at once is not asked at once again, and never waits for long', () => {
  const retry = new WatchRetry(REFUSED_MS)
  const waits = Array.from({ length: 12 }, () => retry.waitAfter('closed'))
  expect(Math.min(...waits)).toBeGreaterThan(0)
  expect(Math.max(...waits)).toBeLessThanOrEqual(2000)
})
