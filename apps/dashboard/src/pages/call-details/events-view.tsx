import { go } from '../../address/use-address.ts'
import type { CallDetails, CallEvent } from '../../client/call-details.ts'
import { clockTime, utcTime } from '../../format/time.ts'
import { Button } from '../../ui/button.tsx'
import { factText } from './facts.ts'

/** The events view opens on this much before and after the call. Milliseconds. */
const AROUND = 30_000

/** What happened to the pods and processes of a call at about its time, in order. */
export function EventsView({ call }: { readonly call: CallDetails }) {
  const { events = [], ts, latency_ms = 0 } = call
  return (
    <section className="part">
      <h3>Events around it</h3>
      {events.length === 0 && (
        <p className="body-note">
          Nothing is known to have happened to its pods and processes within 30 seconds of it.
        </p>
      )}
      <dl className="facts">
        {events.map((event, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: events have no other identity than their place
          <div key={index} className="fact">
            <dt title={utcTime(event.ts)}>{clockTime(event.ts)}</dt>
            <dd className="value">
              <b>{event.type.replaceAll('_', ' ')}</b> <span className="soft">{restOf(event)}</span>
            </dd>
          </div>
        ))}
      </dl>
      <Button
        icon="bell"
        onClick={() =>
          go({
            view: 'events',
            start: Math.floor(ts - AROUND),
            end: Math.ceil(ts + latency_ms + AROUND),
            find: '',
            call: undefined,
          })
        }
      >
        All events of this time
      </Button>
    </section>
  )
}

function restOf({ ts, kind, type, ...rest }: CallEvent): string {
  return Object.entries(rest)
    .map(([name, value]) => `${name} ${factText(value)}`)
    .join(', ')
}
