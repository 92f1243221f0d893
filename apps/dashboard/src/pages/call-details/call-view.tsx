import type { CallDetails } from '../../client/call-details.ts'
import { protocolLook } from '../../protocols/index.ts'
import { ConnectionView } from './connection-view.tsx'
import { EventList } from './event-list.tsx'
import { FactList } from './fact-list.tsx'
import { factsOf } from './facts.ts'
import { HalfView } from './half-view.tsx'
import { whyMissing } from './missing-half.ts'
import { Timing } from './timing.tsx'

/** Fields that are shown elsewhere, or that repeat others in a flat form. */
const shownApart = new Set([
  ...['id', 'ts', 'src', 'dst', 'proto', 'method', 'path', 'status', 'latency_ms', 'ttfb_ms', 'error'],
  ...['request', 'response', 'tcp', 'tcp_handshake_p50_us', 'tcp_handshake_p90_us', 'tcp_handshake_p99_us'],
  ...['req_headers', 'resp_headers', 'req_body', 'resp_body', 'req_size', 'resp_size'],
  ...[
    'conn_id',
    'flow_id',
    'node_id',
    'capture_source',
    'has_pcap',
    'flow',
    'events',
    'timeline',
    'decrypted',
  ],
])

export function CallView({ call }: { readonly call: CallDetails }) {
  const look = protocolLook(call.proto)
  const missing = whyMissing(call.error)
  const identity = ['id', 'conn_id', 'flow_id', 'node_id', 'capture_source', 'has_pcap', 'decrypted']
    .filter((name) => call[name] !== undefined)
    .map((name) => ({ label: name, path: [name], value: call[name] }))
  const rest = Object.keys(call).filter((name) => !shownApart.has(name))
  const own = rest.filter((name) => typeof call[name] === 'object')
  const single = rest.filter((name) => typeof call[name] !== 'object')
  return (
    <>
      {call.error && !missing && (
        <section className="part">
          <h3>Failure</h3>
          <FactList facts={[{ label: 'error', path: ['error'], value: call.error }]} />
        </section>
      )}
      <HalfView title={look.request} name="request" half={call.request} missing={missing} />
      <HalfView title={look.response} name="response" half={call.response} missing={missing} />
      {own.map((name) => (
        <section key={name} className="part">
          <h3>{name === call.proto ? look.label : name}</h3>
          <FactList
            facts={factsOf(call[name], [name])
              // The statement of a database is its path as well.
              .filter(({ label, value }) => label !== 'statement' || value !== call.path)
              .map((fact) => ({ ...fact, label: fact.label || name }))}
          />
        </section>
      ))}
      <Timing call={call} />
      <ConnectionView call={call} />
      <EventList events={call.events ?? []} />
      <section className="part">
        <h3>Identity</h3>
        <FactList
          facts={[
            ...identity,
            ...single.flatMap((name) =>
              factsOf(call[name], [name]).map((fact) => ({ ...fact, label: name })),
            ),
          ]}
        />
      </section>
    </>
  )
}
