import { expect, test } from 'vitest'
import { noCallsReason } from './no-calls-reason.ts'

const facts = { db: undefined, kfl: '', start: undefined, enabled: true }

test('an empty view names what the reader can change first', () => {
  expect(noCallsReason({ ...facts, kfl: 'http', enabled: false })).toBe('filter')
  expect(noCallsReason({ ...facts, enabled: false, start: 1 })).toBe('paused')
  expect(noCallsReason({ ...facts, start: 1 })).toBe('window')
  expect(noCallsReason(facts)).toBe('no traffic')
  expect(noCallsReason({ ...facts, db: 'a/b', enabled: false })).toBe('dissection')
  expect(noCallsReason({ ...facts, db: 'a/b', start: 1 })).toBe('part of a dissection')
})
