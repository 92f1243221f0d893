import type { CallDetails } from '../../client/call-details.ts'
import { count } from '../../format/amount.ts'
import { latency } from '../../format/duration.ts'
import { FactList } from './fact-list.tsx'
import { factsOf } from './facts.ts'

/** Who talked to whom, and how the connection did. */
export function ConnectionView({ call }: { readonly call: CallDetails }) {
  const metrics = Object.entries(call.tcp ?? {})
    .filter(([key, value]) => typeof value === 'number' && key !== 'completeness')
    .sort(([a], [b]) => Number(b.endsWith('_us')) - Number(a.endsWith('_us')))
  const handshakes = (['p50', 'p90', 'p99'] as const)
    .map((name) => [name, call[`tcp_handshake_${name}_us`]] as const)
    .filter((entry): entry is readonly [(typeof entry)[0], number] => typeof entry[1] === 'number')
  const flow = factsOf(call.flow, ['flow'])
  return (
    <>
      <section className="part">
        <h3>Source</h3>
        <FactList facts={factsOf(call.src, ['src'])} />
      </section>
      <section className="part">
        <h3>Destination</h3>
        <FactList facts={factsOf(call.dst, ['dst'])} />
      </section>
      {(metrics.length > 0 || handshakes.length > 0) && (
        <section className="part">
          <h3>TCP connection</h3>
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
    </>
  )
}
