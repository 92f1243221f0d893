import { absentNodes } from '../cluster/absent-nodes.ts'
import type { Coverage } from '../cluster/coverage.ts'
import { timed } from '../cluster/timed-gap.ts'
import type { Handler } from './handler.ts'

/** The nodes that hold something, out of what they last reported, at most a second ago. */
export const getDataBoundaries: Handler<'get_data_boundaries'> = (_input, { workers, coverage }) => {
  const holding = workers.connected.filter(({ report: { recording } }) => recording.oldest_ts !== null)
  const nodes = holding.map(({ node, report: { recording } }) => ({
    name: node,
    oldest_ts: recording.oldest_ts,
    newest_ts: recording.newest_ts,
    oldest_at: instant(recording.oldest_ts),
    newest_at: instant(recording.newest_ts),
    size_bytes: recording.size_bytes,
    packet_count: recording.packet_count,
    dropped_packets: recording.dropped_packets,
    drops: recording.drops ?? { kernel: recording.dropped_packets, queue: 0, disk: 0 },
    ...gapsOf(coverage, node, recording.oldest_ts),
  }))
  const { excluded } = coverage
  const away = absentNodes(coverage.missedByRecording({}))
  const oldest = nodes.flatMap(({ oldest_ts }) => oldest_ts ?? [])
  const newest = nodes.flatMap(({ newest_ts }) => newest_ts ?? [])
  return {
    cluster: {
      oldest_ts: oldest.length > 0 ? Math.min(...oldest) : null,
      newest_ts: newest.length > 0 ? Math.max(...newest) : null,
    },
    nodes,
    ...(away.length > 0 && { missing_nodes: away }),
    ...(excluded.length > 0 && { excluded_nodes: excluded }),
  }
}

/** Within what the node holds: what is older is gone anyway. */
function gapsOf(coverage: Coverage, node: string, oldest: number | null) {
  const gaps = coverage.recorded(oldest === null ? {} : { start: oldest }, [node])
  return gaps.length > 0 ? { gaps: gaps.map(timed) } : {}
}

function instant(time: number | null): string | null {
  return time === null ? null : new Date(time).toISOString()
}
