import { clockTime, dateTime, utcTime } from '../format/time.ts'
import type { Column } from './column.ts'

export const timeColumn: Column = {
  id: 'time',
  title: 'Time',
  wide: { least: 104 },
  medium: { least: 104 },
  dayPx: { day: 34, year: 70 },
  render: (call) => {
    const text = clockTime(call.ts)
    return (
      <>
        <span className="day">
          <span className="year">{dateTime(call.ts).slice(0, 5)}</span>
          {dateTime(call.ts).slice(5, 10)}{' '}
        </span>
        {text.slice(0, 8)}
        <span className="fraction">{text.slice(8)}</span>
      </>
    )
  },
  tooltip: (call) => utcTime(call.ts),
}
