import type { CallEvent } from '../../client/call-details.ts'
import { clockTime, utcTime } from '../../format/time.ts'
import { factText } from './facts.ts'

/** What happened to the pods and processes of a call at about its time, in order. */
export function EventList({ events }: { readonly events: readonly CallEvent[] }) {
  if (events.length === 0) return null
  return (
    <section className="part">
      <h3>Events</h3>
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
    </section>
  )
}

function restOf({ ts, kind, type, ...rest }: CallEvent): string {
  return Object.entries(rest)
    .map(([name, value]) => `${name} ${factText(value)}`)
    .join(', ')
}
