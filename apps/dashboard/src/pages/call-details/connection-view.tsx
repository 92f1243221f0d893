import type { CallDetails, CompactCall } from '../../client/call-details.ts'
import { useConnectionCalls } from '../../client/use-hub.ts'
import { Status } from '../../columns/status.tsx'
import { count } from '../../format/amount.ts'
import { latency } from '../../format/duration.ts'
import { clockTime } from '../../format/time.ts'
import { CallLink } from './call-link.tsx'
import { FactList } from './fact-list.tsx'
import { factsOf } from './facts.ts'
import { tcpTroubles } from './tcp-troubles.ts'

export interface ConnectionViewProps {
  readonly call: CallDetails
  readonly db: string | undefined
}

/** How the connection of a call did, and what else it carried. */
export function ConnectionView({ call, db }: ConnectionViewProps) {
  const tcp = call.tcp ?? {}
  const metrics = Object.entries(tcp)
    .filter(([key, value]) => typeof value === 'number' && key !== 'completeness')
    .sort(([a], [b]) => Number(b.endsWith('_us')) - Number(a.endsWith('_us')))
  const handshakes = (['p50', 'p90', 'p99'] as const)
    .map((name) => [name, call[`tcp_handshake_${name}_us`]] as const)
    .filter((entry): entry is readonly [(typeof entry)[0], number] => typeof entry[1] === 'number')
  const troubles = tcpTroubles(tcp)
  const flow = factsOf(call.flow, ['flow'])
  return (
    <>
      {metrics.length + handshakes.length > 0 && (
        <section className="part">
          <h3>TCP connection</h3>
          {call.tcp &&
            (troubles.length === 0 ? (
              <p className="health">Healthy: no retransmission, no reset, no full window.</p>
            ) : (
              <ul className="health bad">
                {troubles.map((trouble) => (
                  <li key={trouble}>{trouble}</li>
                ))}
              </ul>
            ))}
          <dl className="metrics">
            {metrics.map(([key, value]) => (
              <div key={key} className={value === 0 ? 'zero' : undefined}>
                <dt>{key.replace(/_us$/, '').replaceAll('_', ' ')}</dt>
                <dd>{key.endsWith('_us') ? latency(value / 1000) : count(value)}</dd>
              </div>
            ))}
            {handshakes.map(([name, value]) => (
              <div key={name}>
                <dt>handshake {name} of the service</dt>
                <dd>{latency(value / 1000)}</dd>
              </div>
            ))}
          </dl>
        </section>
      )}
      {flow.length > 0 && (
        <section className="part">
          <h3>Flow</h3>
          <FactList facts={flow} />
        </section>
      )}
      <OtherCalls call={call} db={db} />
    </>
  )
}

function OtherCalls({ call, db }: ConnectionViewProps) {
  const { data: page } = useConnectionCalls(call.conn_id, db)
  if (db === 'recording' || call.conn_id === undefined) return null
  const calls = (page?.calls ?? []) as readonly CompactCall[]
  return (
    <section className="part">
      <h3>Calls of this connection</h3>
      {!page && <p className="body-note">Loading…</p>}
      <ul className="call-links">
        {calls.map((one) => (
          <li key={one.id} aria-current={one.id === call.id ? 'true' : undefined}>
            <span className="soft">{clockTime(one.ts)}</span>
            <CallLink id={one.id}>{`${one.method ?? one.proto} ${one.path ?? ''}`.trim()}</CallLink>
            <Status call={one} />
            {one.latency_ms !== undefined && <span className="soft">{latency(one.latency_ms)}</span>}
          </li>
        ))}
      </ul>
      {page?.next_cursor != null && (
        <p className="body-note">
          The first {calls.length} are listed. The filter <code>conn_id == {String(call.conn_id)}</code> shows
          all.
        </p>
      )}
    </section>
  )
}
