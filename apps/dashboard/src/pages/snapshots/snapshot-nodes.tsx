import { formatBytes } from '@tapdeck/units'
import type { Snapshot } from '../../client/hub.ts'
import { count } from '../../format/amount.ts'
import { LostWhere } from './lost-where.tsx'

/** Each node's part: in the open where one lacks something, folded where several are fine. */
export function SnapshotNodes({ nodes }: { readonly nodes: Snapshot['nodes'] }) {
  const hasTrouble = nodes.some(
    (node) => node.error !== undefined || node.status === 'failed' || node.dropped_packets > 0,
  )
  if (nodes.length < 2 && !hasTrouble) return null
  return (
    <details className="snapshot-nodes" open={hasTrouble}>
      <summary>Nodes</summary>
      <ul>
        {nodes.map((node) => (
          <li key={node.name}>
            <b className="mono">{node.name}</b>
            <span>
              {node.status.replaceAll('_', ' ')}, {formatBytes(node.size_bytes)}, {count(node.packet_count)}{' '}
              packets
            </span>
            {node.dropped_packets > 0 && (
              <span className="badge warn">
                {count(node.dropped_packets)} dropped while capturing
                {node.drops && <LostWhere drops={node.drops} />}
              </span>
            )}
            {node.error && <span className="badge bad">{node.error}</span>}
          </li>
        ))}
      </ul>
    </details>
  )
}
