import type { SnapshotLoss } from '@tapdeck/recording'
import type { LossTimes } from '../cluster/loss-times.ts'
import type { SnapshotWindow } from './snapshot-window.ts'

/** The times of a window in which these nodes dropped packets. */
export function snapshotLosses(
  losses: LossTimes,
  { start, end }: Pick<SnapshotWindow, 'start' | 'end'>,
  nodes: readonly string[],
): SnapshotLoss[] {
  return losses
    .within(start, end)
    .filter(({ node }) => nodes.includes(node))
    .map(({ node, start: from, end: to, kernel_drops, disk_drops }) => ({
      node,
      from_ts: Math.max(from, start),
      to_ts: Math.min(to, end),
      ...(kernel_drops !== undefined && { kernel_drops }),
      ...(disk_drops !== undefined && { disk_drops }),
    }))
}
