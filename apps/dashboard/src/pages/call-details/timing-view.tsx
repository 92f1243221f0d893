import type { CallDetails } from '../../client/call-details.ts'
import type { Explanation } from '../../client/hub.ts'
import { latency } from '../../format/duration.ts'
import { CallLink } from './call-link.tsx'
import { waterfall } from './waterfall.ts'
import { WhenFacts } from './when-facts.tsx'

export interface TimingViewProps {
  readonly call: CallDetails
  readonly explanation: Explanation | undefined
}

/** When it happened, and how the time went. */
export function TimingView({ call, explanation }: TimingViewProps) {
  const { both_ends } = call
  const idle = explanation?.connection.idle_before_ms
  return (
    <section className="part">
      <h3>Timing</h3>
      <dl className="waterfall">
        {waterfall(call, explanation).map(
          ({ id, title, ms, from, share, call: other, isInferred }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: stretches have no other identity than their place
            <div key={index} className={id}>
              <dt title={isInferred ? 'Concluded from times and addresses' : undefined}>
                {other === undefined ? title : <CallLink id={other}>{title}</CallLink>}
                {isInferred && ' (inferred)'}
              </dt>
              <dd className="bar" aria-hidden="true">
                <i className={id} style={{ marginLeft: `${from * 100}%`, width: `${share * 100}%` }} />
              </dd>
              <dd className="figure">{latency(ms)}</dd>
            </div>
          ),
        )}
      </dl>
      <dl className="facts">
        <WhenFacts call={call} />
        {idle !== undefined && (
          <div className="fact">
            <dt>connection</dt>
            <dd className="value">
              was open already, idle for {latency(idle)}: no lookup and no handshake was needed
            </dd>
          </div>
        )}
        {both_ends && (
          <div className="fact">
            <dt>both ends</dt>
            <dd className="value">
              {latency(both_ends.client_ms)} on {both_ends.client_node}, {latency(both_ends.server_ms)} on{' '}
              {both_ends.server_node}: {latency(both_ends.network_ms)} on the network between them
            </dd>
          </div>
        )}
      </dl>
      {!both_ends && call.latency_ms !== undefined && (
        <p className="body-note">
          One end was seen: the wait includes the network. With a worker on the nodes of both ends, the two
          are shown apart.
        </p>
      )}
    </section>
  )
}
