import { expect, test } from 'vitest'
import { AgentHistory } from './agent-history.ts'

test('matches of one minute are one entry with what the actions made of them', () => {
  const totals = { done: 5, failed: 1 }
  const history = new AgentHistory()
  history.follow(() => ({ ...totals }))
  history.note('started', 0)
  history.match(2, 0, 1000)
  history.match(3, 4, 60_000)
  totals.done = 9
  history.match(1, 0, 61_000)
  totals.failed = 2
  expect(history.list().map(({ at, ...run }) => [Date.parse(at), run])).toEqual([
    [61_000, { kind: 'matched', matched: 1, lost: 0, done: 0, failed: 1 }],
    [1000, { kind: 'matched', matched: 5, lost: 4, done: 4, failed: 0 }],
    [0, { kind: 'started' }],
  ])
})

test('the oldest entries go, and long details are cut', () => {
  const history = new AgentHistory()
  for (let at = 0; at < 300; at++) history.note('failed', at, 'x'.repeat(9000))
  expect(history.list()).toHaveLength(200)
  expect(history.list()[0]).toMatchObject({ at: new Date(299).toISOString(), detail: 'x'.repeat(500) })
})
