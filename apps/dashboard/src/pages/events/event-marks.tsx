import type { TimeWindow } from '../../time/time-window.ts'
import { type RecordedEvent, toneOf } from './event-row.ts'

/** Where events are on the time axis above, which has the same margins. */
export function EventMarks({
  events,
  window,
}: {
  readonly events: readonly RecordedEvent[]
  readonly window: TimeWindow
}) {
  const length = window.end - window.start
  return (
    <div className="event-marks" aria-hidden="true">
      {events.map((event, index) => {
        const at = (event.ts - window.start) / length
        if (at < 0 || at > 1) return null
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: events have no other identity than their place
          <i key={index} className={`${event.kind} ${toneOf(event)}`} style={{ left: `${at * 100}%` }} />
        )
      })}
    </div>
  )
}
