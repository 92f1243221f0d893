import { expect, test } from 'vitest'
import { nodeColumns } from './node-columns.ts'

test('LOST counts packets, not bytes of truncated bodies', () => {
  const node = {
    name: 'n1',
    connected: true,
    version: '1',
    indexing: true,
    capture: { active: true, interfaces: [] },
    packets_captured: 10,
    packets_dissected: 10,
    calls: 1,
    loss: { kernel_drops: 3, skipped_packets: 4, truncated_bodies: 54_949_805 },
  }
  expect(nodeColumns.find(({ title }) => title === 'LOST')?.cell(node)).toBe(7)
})
