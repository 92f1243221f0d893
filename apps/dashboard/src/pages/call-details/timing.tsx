import type { CallDetails } from '../../client/call-details.ts'
import { latency } from '../../format/duration.ts'
import { clockTime, utcTime } from '../../format/time.ts'
import { timingParts } from './timing-parts.ts'

/** When it happened, and how the time went. */
export function Timing({ call }: { readonly call: CallDetails }) {
  const parts = timingParts(call)
  return (
    <section className="part">
      <h3>Timing</h3>
      <dl className="waterfall">
        {parts.map(({ id, title, ms, from, share }) => (
          <div key={id}>
            <dt>{title}</dt>
            <dd className="bar" aria-hidden="true">
              <i className={id} style={{ marginLeft: `${from * 100}%`, width: `${share * 100}%` }} />
            </dd>
            <dd className="figure">{latency(ms)}</dd>
          </div>
        ))}
      </dl>
      <dl className="facts">
        <div className="fact">
          <dt>time</dt>
          <dd className="value">
            {clockTime(call.ts)} <span className="soft">({utcTime(call.ts)})</span>
          </dd>
        </div>
        {call.latency_ms !== undefined && (
          <div className="fact">
            <dt>latency</dt>
            <dd className="value">{latency(call.latency_ms)}</dd>
          </div>
        )}
      </dl>
    </section>
  )
}
