import { formatBytes } from '@tapdeck/units'
import { count, countOf, rate } from '../../format/amount.ts'
import { latency } from '../../format/duration.ts'
import { ProtocolTag } from '../../protocols/protocol-tag.tsx'
import type { MapEdge, MapNode } from './map-graph.ts'

/** What is under the pointer, in figures. */
export function MapCard({
  thing,
  nameOf,
}: {
  readonly thing: MapNode | MapEdge
  readonly nameOf: (id: string) => string
}) {
  if (!('src' in thing))
    return (
      <div className="map-card">
        <b>{thing.name}</b>
        {thing.ns && <span className="soft"> {thing.ns}</span>}
        <p>
          {countOf(thing.calls, 'call')}, {countOf(thing.errors, 'error')}
        </p>
        <p className="soft">Click to see only this and its neighbours.</p>
      </div>
    )
  const { p50, p95, p99 } = thing
  return (
    <div className="map-card">
      <b>
        {nameOf(thing.src)} → {nameOf(thing.dst)}
      </b>
      <p>
        {rate(thing.rate)} calls/s, {countOf(thing.calls, 'call')}, {formatBytes(thing.bytes)}
      </p>
      <p className={thing.errors > 0 ? 'tone-bad' : 'soft'}>{countOf(thing.errors, 'error')}</p>
      {p50 !== undefined && (
        <p>
          p50 {latency(p50)}
          {p95 !== undefined && `, p95 ${latency(p95)}`}
          {p99 !== undefined && `, p99 ${latency(p99)}`}
        </p>
      )}
      <p className="protocols">
        {Object.entries(thing.protocols).map(([name, calls]) => (
          <span key={name}>
            <ProtocolTag name={name} /> {count(calls)}
          </span>
        ))}
      </p>
      {thing.changes.map(({ kind, detail }) => (
        <p key={`${kind} ${detail}`} className={`change-${kind}`}>
          {detail}
        </p>
      ))}
      <p className="soft">
        {thing.kfl ? 'Click to see its calls.' : 'Show the outside one by one to see its calls.'}
      </p>
    </div>
  )
}
