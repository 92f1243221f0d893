const two = (value: number) => String(value).padStart(2, '0')
const three = (value: number) => String(value).padStart(3, '0')

/** `14:03:07.042` in the reader's zone. */
export function clockTime(ts: number): string {
  const date = new Date(ts)
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${three(date.getMilliseconds())}`
}

/** `2026-05-12 14:03:07` in the reader's zone. */
export function dateTime(ts: number): string {
  const date = new Date(ts)
  return `${calendarDay(ts)} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`
}

/** `14:03:07.042`, or `2026-05-12 14:03:07.042` where it is not today, in the reader's zone. */
export function datedTime(ts: number, now = Date.now()): string {
  return isSameDay(ts, now) ? clockTime(ts) : `${calendarDay(ts)} ${clockTime(ts)}`
}

/** Whether it is the same day for the reader. */
export function isSameDay(a: number, b: number): boolean {
  return calendarDay(a) === calendarDay(b)
}

/** Whether it is the same year for the reader. */
export function isSameYear(a: number, b: number): boolean {
  return new Date(a).getFullYear() === new Date(b).getFullYear()
}

/** `2026-05-12` in the reader's zone. */
function calendarDay(ts: number): string {
  const date = new Date(ts)
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}

/** `2026-05-12 12:03:07.042118 UTC`: as exact as the capture knows it. */
export function utcTime(ts: number): string {
  const whole = Math.floor(ts)
  const micros = Math.round((ts - whole) * 1000)
  if (micros === 1000) return utcTime(whole + 1)
  const [day, time] = new Date(whole).toISOString().slice(0, -1).split('T')
  return `${day} ${time}${three(micros)} UTC`
}

/** `UTC`, `UTC+02:00`: a zone by how far it is ahead, as `Date.getTimezoneOffset` tells it, in minutes behind. */
export function zoneName(minutesBehind: number): string {
  if (minutesBehind === 0) return 'UTC'
  const size = Math.abs(minutesBehind)
  return `UTC${minutesBehind > 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`
}

/** A window in the reader's zone; the day is said once where both ends share it. */
export function timeWindow(start: number, end: number): string {
  const from = dateTime(start)
  const to = dateTime(end)
  return `${from} – ${from.slice(0, 10) === to.slice(0, 10) ? to.slice(11) : to}`
}

/** What an `<input type="datetime-local" step="1">` holds. */
export function inputTime(ts: number): string {
  return dateTime(ts).replace(' ', 'T')
}
