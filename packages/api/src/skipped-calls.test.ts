import { expect, test } from 'vitest'
import { SkippedCalls } from './skipped-calls.ts'

test('the time of skipped calls reaches from the first to the last of them, in any order', () => {
  const skipped = new SkippedCalls()
  expect(skipped.take()).toEqual({ skipped: 0 })
  skipped.addCalls([{ ts: 5000.5 }, { ts: 4000 }])
  skipped.add({ skipped: 7, from: 4500, to: 6000 })
  // Older workers send no time.
  skipped.add({ skipped: 1 })
  expect(skipped.count).toBe(10)
  expect(skipped.take()).toEqual({ skipped: 10, from: 4000, to: 6000 })
  expect(skipped.take()).toEqual({ skipped: 0 })
})
