import { expect, test } from 'vitest'
import { addLosses, lossEntries } from './loss-ledger.ts'

test('losses of several nodes add up by kind', () => {
  expect(addLosses([{ kernel_drops: 2, gaps: 1 }, { kernel_drops: 3 }, {}])).toEqual({
    kernel_drops: 5,
    gaps: 1,
  })
})

test('grave losses come first, zeros are not listed, an unknown kind is still told', () => {
  const entries = lossEntries({ gaps: 900, kernel_drops: 1, queue_drops: 0, odd_thing: 3 })
  expect(entries.map((entry) => [entry.kind, entry.grave])).toEqual([
    ['kernel_drops', true],
    ['gaps', false],
    ['odd_thing', false],
  ])
  expect(entries[2]!.text).toBe('odd thing')
})
