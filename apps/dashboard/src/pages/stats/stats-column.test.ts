import { expect, test } from 'vitest'
import type { StatsGroup } from '../../client/hub.ts'
import { columnsFor, sortedBy, statsColumns } from './stats-column.ts'

const group = (name: string, more: Partial<StatsGroup> = {}): StatsGroup => ({
  group: name,
  calls: 10,
  errors: 0,
  capture_errors: 0,
  rate: 1,
  bytes: 0,
  ...more,
})
const column = (id: string) => {
  const found = statsColumns.find((each) => each.id === id)
  if (!found) throw new Error(`no column ${id}`)
  return found
}
const names = (groups: readonly StatsGroup[]) => groups.map((each) => each.group)

test('the largest figure stands first, a group without one last, equals as they came', () => {
  const groups = [
    group('none'),
    group('fast', { latency_p99_ms: 1 }),
    group('slow', { latency_p99_ms: 900 }),
    group('none too'),
  ]
  expect(names(sortedBy(groups, column('p99')))).toEqual(['slow', 'fast', 'none', 'none too'])
})

test('the error rate counts, not the number of errors', () => {
  const groups = [group('large', { calls: 1000, errors: 5 }), group('small', { calls: 4, errors: 2 })]
  expect(names(sortedBy(groups, column('errors')))).toEqual(['large', 'small'])
  expect(names(sortedBy(groups, column('error-rate')))).toEqual(['small', 'large'])
})

test('what the capture missed is no error of the service, and has a column only where there is any', () => {
  const half = group('half', { calls: 4, errors: 3, capture_errors: 2 })
  expect(column('errors').of(half)).toBe(1)
  expect(column('error-rate').of(half)).toBe(0.25)
  expect(columnsFor([group('whole'), half])).toEqual(statsColumns)
  expect(columnsFor([group('whole')])).toEqual(statsColumns.filter(({ id }) => id !== 'partial'))
})

test.each([
  [0, '0 %'],
  [0.004, '0.4 %'],
  [0.5, '50 %'],
])('an error rate of %d reads %s', (value, text) => {
  expect(column('error-rate').text(value)).toBe(text)
})
