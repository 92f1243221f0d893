import { expect, test } from 'vitest'
import {
  evidenceFilter,
  groupSuspects,
  headline,
  partyName,
  type Suspect,
  type Suspects,
} from './suspect-text.ts'

const suspect: Suspect = {
  rank: 1,
  kind: 'failing',
  severity: 'high',
  score: 90,
  what: 'inventory answers 500',
  after: '40 % of 100 calls',
  compared_with: 'time_before',
  evidence: ['n1/1/2/3'],
  against: [],
  explains: [],
}
const found: Suspects = {
  window: { start_at: null, end_at: null, seconds: 60, calls: 100 },
  baseline_is: 'before_change',
  suspects: [suspect],
  omitted: 0,
  summary: '',
}

test('the headline names the most probable cause', () => {
  expect(headline(found)).toBe('Most probable cause: inventory answers 500')
})

test('without a serious suspect the headline says so, and why', () => {
  const none = { ...found, suspects: [] }
  expect(headline(none)).toBe('Nothing changed beyond chance.')
  expect(headline({ ...none, baseline_is: 'none' })).toBe('Nothing changed within this window.')
  expect(headline({ ...none, window: { ...found.window, calls: 0 } })).toContain('no calls')
  expect(headline({ ...found, suspects: [{ ...suspect, severity: 'note' }] })).toContain('Nothing serious')
})

test('what was there before is the headline only where nothing is new, and is in a group of its own', () => {
  const old = { ...suspect, rank: 2, background: true, what: 'ads answers 503' }
  const note: Suspect = { ...suspect, rank: 3, severity: 'note' }
  const victim = { ...suspect, rank: 4, explained_by: 1 }
  expect(headline({ ...found, suspects: [old, note] })).toContain('It was so before, too: ads answers 503')
  expect(headline({ ...found, suspects: [suspect, old] })).toBe('Most probable cause: inventory answers 500')
  const { causes, background, notes } = groupSuspects([suspect, old, note, victim])
  expect([causes, background, notes]).toEqual([[suspect], [old], [note]])
})

test('the filter of the evidence keeps the filter of the page', () => {
  expect(evidenceFilter('', { kfl: 'response.status == 500' })).toBe('response.status == 500')
  expect(evidenceFilter('http or grpc', { kfl: 'dst.svc == "a"' })).toBe('(http or grpc) and dst.svc == "a"')
  expect(evidenceFilter('http', {})).toBeUndefined()
})

test('a party is named with its namespace if it has one', () => {
  expect(partyName({ name: 'cart', ns: 'shop' })).toBe('shop/cart')
  expect(partyName({ name: '10.0.0.1' })).toBe('10.0.0.1')
})
