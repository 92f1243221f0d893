import { expect, test } from 'vitest'
import { missedAt, missedTimes } from './missed-times.ts'

const at = (second: number) => new Date(second * 1000).toISOString()
const window = { start: 100_000, end: 200_000 }

test('times are cut to the window, and those outside are left out', () => {
  const spans = [
    { start: at(50), end: at(120), kind: 'not_indexed', reason: 'switch_off', detail: 'indexing was off' },
    { start: at(10), end: at(20), kind: 'not_recorded', reason: 'killed' },
  ]
  const missed = missedTimes(spans, window)
  expect(missed).toMatchObject([{ start: 100_000, end: 120_000, kind: 'unindexed' }])
  expect(missed[0]?.text).toContain('indexing was off')
})

test('drops say how many packets are gone', () => {
  const [drop] = missedTimes([{ start: at(150), end: at(160), node: 'n1', kernel_drops: 7 }], window)
  expect(drop).toMatchObject({ kind: 'lost' })
  expect(drop?.text).toContain('the kernel dropped 7 packets')
})

test('a moment lists what was missed then', () => {
  const missed = missedTimes([{ start: at(150), end: at(160), kind: 'not_recorded', reason: 'x' }], window)
  expect(missedAt(missed, { start: 155_000, end: 156_000 })).toHaveLength(1)
  expect(missedAt(missed, { start: 160_000, end: 170_000 })).toHaveLength(0)
})
