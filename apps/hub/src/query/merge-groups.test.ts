import { expect, test } from 'vitest'
import { mergeGroups, type StatsGroup } from './merge-groups.ts'

const group = (ns: string | undefined, calls: number, more: Partial<StatsGroup> = {}): StatsGroup => ({
  group: 'orders',
  ...(ns !== undefined && { ns }),
  ...{ calls, errors: 0, capture_errors: 0, rate: 1, bytes: 10 },
  ...more,
})

test('groups of several nodes add up within their namespace, and not beyond', () => {
  const lost = { errors: 3, capture_errors: 2 }
  const merged = mergeGroups([
    [group('shop', 5, lost), group('staging', 1)],
    [group('shop', 6, lost), group(undefined, 3)],
  ])
  expect(merged.map(({ ns, calls, errors, capture_errors }) => [ns, calls, errors, capture_errors])).toEqual([
    ['shop', 11, 6, 4],
    [undefined, 3, 0, 0],
    ['staging', 1, 0, 0],
  ])
})

test('a worker of a build before, which does not count the errors of the capture apart, has none', () => {
  const { capture_errors: _, ...old } = group('shop', 5, { errors: 3 })
  for (const lists of [[[old]], [[old], [group('shop', 1)]]])
    expect(mergeGroups(lists as StatsGroup[][])[0]).toMatchObject({ errors: 3, capture_errors: 0 })
})
