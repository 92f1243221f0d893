import { afterEach, expect, test, vi } from 'vitest'
import { hubNow, readHubClock } from './hub-clock.ts'

afterEach(() => vi.useRealTimers())

test('a clock that is minutes off is corrected; a second is not, since the header has no fractions', () => {
  vi.useFakeTimers({ now: 1_700_000_000_000 })
  readHubClock(new Date(1_700_000_120_000).toUTCString(), Date.now())
  expect(hubNow()).toBe(1_700_000_120_000)
  readHubClock(new Date(1_699_999_999_000).toUTCString(), Date.now())
  expect(hubNow()).toBe(1_700_000_000_000)
})

test('an answer without a readable date changes nothing', () => {
  vi.useFakeTimers({ now: 1_700_000_000_000 })
  readHubClock(null, Date.now())
  readHubClock('soon', Date.now())
  expect(hubNow()).toBe(1_700_000_000_000)
})
