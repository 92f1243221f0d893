import { clockTime } from '../../format/time.ts'
import type { TimeWindow } from '../../time/time-window.ts'
import { type RecordedEvent, toneOf } from './event-row.ts'

/** Where events are on the time axis above, which has the same margins. */
export function EventMarks({
  events,
  window,
  hasOlder,
}: {
  /** The newest first. */
  readonly events: readonly RecordedEvent[]
  readonly window: TimeWindow
  /** Those before the last of them are not loaded. */
  readonly hasOlder: boolean
}) {
  const length = window.end - window.start
  const oldest = events.at(-1)?.ts
  return (
    <div className="event-marks" aria-hidden="true">
      {hasOlder && oldest !== undefined && oldest > window.start && (
        <span
          className="unloaded"
          style={{ width: `${Math.min(1, (oldest - window.start) / length) * 100}%` }}
        >
          older than {clockTime(oldest).slice(0, -4)}: not loaded
        </span>
      )}
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
