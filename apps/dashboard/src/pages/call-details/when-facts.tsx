import type { CallDetails } from '../../client/call-details.ts'
import { latency } from '../../format/duration.ts'
import { clockTime, utcTime } from '../../format/time.ts'

/** Rows of a list of facts: when a call happened, and how long it took. */
export function WhenFacts({ call }: { readonly call: CallDetails }) {
  return (
    <>
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
    </>
  )
}
