import type { CallDetails } from '../../client/call-details.ts'
import type { Explanation } from '../../client/hub.ts'
import { protocolLook } from '../../protocols/index.ts'
import { FactList } from './fact-list.tsx'
import { factsOf } from './facts.ts'
import { whyMissing } from './missing-message.ts'
import { WhenFacts } from './when-facts.tsx'

/** Fields that other tabs show, or that repeat others in a flat form. */
const shownApart = new Set([
  ...[
    'id',
    'ts',
    'src',
    'dst',
    'proto',
    'method',
    'path',
    'status',
    'latency_ms',
    'ttfb_ms',
    'error',
    'connection_end',
    'delivery',
  ],
  ...['request', 'response', 'tcp', 'tcp_handshake_p50_us', 'tcp_handshake_p90_us', 'tcp_handshake_p99_us'],
  ...['req_headers', 'resp_headers', 'req_body', 'resp_body', 'req_size', 'resp_size', 'both_ends'],
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
    'payload_missing',
  ],
])
const IDENTITY = ['id', 'conn_id', 'flow_id', 'node_id', 'capture_source', 'has_pcap', 'decrypted']

export interface OverviewViewProps {
  readonly call: CallDetails
  readonly explanation: Explanation | undefined
}

/** What happened in a sentence, between whom, and what the protocol says of it. */
export function OverviewView({ call, explanation }: OverviewViewProps) {
  const missing = whyMissing(call)
  const rest = Object.keys(call).filter((name) => !shownApart.has(name))
  const own = rest.filter((name) => typeof call[name] === 'object')
  const single = [...IDENTITY, ...rest.filter((name) => typeof call[name] !== 'object')]
  return (
    <>
      <section className="part">
        <h3>What happened</h3>
        {explanation && <p>{explanation.summary}</p>}
        <dl className="facts">
          <WhenFacts call={call} />
        </dl>
        {missing && <p className="body-note">A message was not seen: {missing}.</p>}
        {call.delivery === 'unacknowledged' && (
          <p className="body-note">
            The response was never acknowledged: the client may not have received it.
          </p>
        )}
        {call.payload_missing && (
          <p className="body-note">
            The index has no head and body of this call, because the disk of the node was full, or after a
            crash. The call did not fail for that. The recording ring may have its packets.
          </p>
        )}
        {call.error && !missing && (
          <FactList facts={[{ label: 'error', path: ['error'], value: call.error }]} />
        )}
      </section>
      {own.map((name) => (
        <section key={name} className="part">
          <h3>{name === call.proto ? protocolLook(call.proto).label : name}</h3>
          <FactList
            facts={factsOf(call[name], [name])
              // The statement of a database is its path as well, and the title shows it.
              .filter(({ label, value }) => label !== 'statement' || value !== call.path)
              .map((fact) => ({ ...fact, label: fact.label || name }))}
          />
        </section>
      ))}
      <section className="part">
        <h3>Source</h3>
        <FactList facts={factsOf(call.src, ['src'])} />
      </section>
      <section className="part">
        <h3>Destination</h3>
        <FactList facts={factsOf(call.dst, ['dst'])} />
      </section>
      <section className="part">
        <h3>Identity</h3>
        <FactList
          facts={single.flatMap((name) =>
            factsOf(call[name], [name]).map((fact) => ({ ...fact, label: name })),
          )}
        />
      </section>
    </>
  )
}
