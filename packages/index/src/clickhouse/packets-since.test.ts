import { expect, test } from 'vitest'
import { PacketsSince } from './packets-since.ts'

test('of one node, packets are kept from a time on', () => {
  const since = new PacketsSince(1000)
  expect([999_999, 1_000_000].map((ts) => since.hasAt('any', ts))).toEqual([false, true])
  expect(since.sql).toBe('(c.ts >= toFloat64(1000000))')
  expect(new PacketsSince(Number.POSITIVE_INFINITY).sql).toBe('false')
  expect(new PacketsSince(Number.NEGATIVE_INFINITY).sql).toBe('true')
})

test('of several nodes, each has its time, and one that is not known has no packets', () => {
  const since = new PacketsSince(
    new Map([
      ['n1', 1000],
      ['n2', Number.POSITIVE_INFINITY],
    ]),
  )
  expect(['n1', 'n2', 'n3'].map((node) => since.hasAt(node, 2_000_000))).toEqual([true, false, false])
  expect(since.sql).toBe("multiIf(c.node = 'n1', (c.ts >= toFloat64(1000000)), c.node = 'n2', false, false)")
  expect(new PacketsSince(new Map()).sql).toBe('false')
})
