import type { CallDetails } from '../../client/call-details.ts'
import { latency } from '../../format/duration.ts'
import { clockTime, utcTime } from '../../format/time.ts'

/** When it happened, and how the time went: waiting for the first byte, then receiving the rest. */
export function Timing({ call }: { readonly call: CallDetails }) {
  const whole = call.latency_ms
  const waiting =
    call.ttfb_ms !== undefined && whole !== undefined ? Math.min(call.ttfb_ms, whole) : undefined
  return (
    <section className="part">
      <h3>Timing</h3>
      {whole !== undefined && waiting !== undefined && whole > 0 && (
        <div className="timing" aria-hidden="true">
          <i className="waiting" style={{ width: `${(waiting / whole) * 100}%` }} />
          <i className="receiving" />
        </div>
      )}
      <dl className="facts">
        <div className="fact">
          <dt>time</dt>
          <dd className="value">
            {clockTime(call.ts)} <span className="soft">({utcTime(call.ts)})</span>
          </dd>
        </div>
        {waiting !== undefined && (
          <div className="fact">
            <dt>first byte after</dt>
            <dd className="value">{latency(waiting)}</dd>
          </div>
        )}
        {whole !== undefined && (
          <div className="fact">
            <dt>latency</dt>
            <dd className="value">{latency(whole)}</dd>
          </div>
        )}
      </dl>
    </section>
  )
}
