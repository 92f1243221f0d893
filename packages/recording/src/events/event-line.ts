import type { RecordedEvent } from './recorded-event.ts'

const PREFIX = '{"ts":'
const MAX_LINE = 65_536

/** One event as a line of its own. The time stands first, so that a window is found without parsing the rest. */
export function toLine({ ts, ...rest }: RecordedEvent): string {
  return `${JSON.stringify({ ts, ...rest })}\n`
}

/** The time of a line that `toLine` wrote; undefined for anything else. */
export function timeOfLine(bytes: Buffer, start: number, end: number): number | undefined {
  if (end - start > MAX_LINE || bytes[end - 1] !== 0x7d) return undefined
  const head = bytes.toString('latin1', start, Math.min(end, start + 40))
  if (!head.startsWith(PREFIX)) return undefined
  const time = Number.parseFloat(head.slice(PREFIX.length))
  return Number.isFinite(time) ? time : undefined
}

/** The event of a line; undefined where the line is damaged. */
export function fromLine(bytes: Buffer, start: number, end: number): RecordedEvent | undefined {
  try {
    const event: unknown = JSON.parse(bytes.toString('utf8', start, end))
    return isEvent(event) ? event : undefined
  } catch {
    return undefined
  }
}

function isEvent(value: unknown): value is RecordedEvent {
  if (typeof value !== 'object' || value === null) return false
  const { ts, kind, type } = value as Partial<RecordedEvent>
  return typeof ts === 'number' && (kind === 'os' || kind === 'cluster') && typeof type === 'string'
}

/** Walks whole lines; what comes after the last line feed is torn and left out. Returns where that begins. */
export function eachLine(bytes: Buffer, take: (start: number, end: number) => void): number {
  let start = 0
  for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
    if (end > start) take(start, end)
    start = end + 1
  }
  return start
}
