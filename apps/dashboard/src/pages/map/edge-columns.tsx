import { count, rate } from '../../format/amount.ts'
import { latency } from '../../format/duration.ts'
import type { DataColumn } from '../../ui/data-table.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { MapEdge } from './map-graph.ts'

/** The edges of the map as rows, for who reads or sorts rather than looks. */
export function edgeColumns(
  nameOf: (id: string) => string,
  onEdge: (edge: MapEdge) => void,
): readonly DataColumn<MapEdge>[] {
  const milliseconds = (value: number | undefined) => (value === undefined ? '–' : latency(value))
  return [
    {
      id: 'peers',
      title: 'Caller and called',
      isText: true,
      of: ({ src, dst }) => `${nameOf(src)} ${nameOf(dst)}`,
      render: (edge) => (
        <button type="button" className="flow-peers" title="Show its calls" onClick={() => onEdge(edge)}>
          {nameOf(edge.src)}
          <Icon name="right" size={12} />
          <span className="unseen"> to </span>
          {nameOf(edge.dst)}
        </button>
      ),
    },
    { id: 'calls', title: 'Calls', of: ({ calls }) => calls, render: ({ calls }) => count(calls) },
    { id: 'rate', title: 'Calls/s', of: (edge) => edge.rate, render: (edge) => rate(edge.rate) },
    {
      id: 'errors',
      title: 'Errors',
      of: ({ errors }) => errors,
      render: ({ errors }) => <span className={errors > 0 ? 'tone-bad' : undefined}>{count(errors)}</span>,
    },
    { id: 'p50', title: 'p50', of: ({ p50 }) => p50, render: ({ p50 }) => milliseconds(p50) },
    { id: 'p95', title: 'p95', of: ({ p95 }) => p95, render: ({ p95 }) => milliseconds(p95) },
    { id: 'p99', title: 'p99', of: ({ p99 }) => p99, render: ({ p99 }) => milliseconds(p99) },
    {
      id: 'protocols',
      title: 'Protocols',
      isText: true,
      of: ({ protocols }) => Object.keys(protocols).join(' '),
      render: ({ protocols }) => Object.keys(protocols).join(', '),
    },
    {
      id: 'changes',
      title: 'Changed',
      isText: true,
      of: ({ changes }) => changes.map(({ kind }) => kind).join(' ') || undefined,
      render: ({ changes }) => changes.map(({ detail }) => detail).join('; '),
    },
  ]
}
