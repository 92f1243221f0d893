const CLOSED = /^(\d{8,})-(\d{8}T\d{9}Z)-(\d{8}T\d{9}Z)\.pcapng$/
const OPEN = /^(\d{8,})\.pcapng\.open$/

export interface SegmentName {
  readonly sequence: number
  /** Range of the packets in microseconds, rounded outwards to milliseconds; absent while the segment is open. */
  readonly range?: { readonly start: number; readonly end: number }
}

/** Segments sort by their name: a sequence number first, since clocks may jump. */
export function openName(sequence: number): string {
  return `${String(sequence).padStart(8, '0')}.pcapng.open`
}

export function closedName(sequence: number, start: number, end: number): string {
  const from = timeText(Math.floor(start / 1000))
  return `${String(sequence).padStart(8, '0')}-${from}-${timeText(Math.ceil(end / 1000))}.pcapng`
}

export function parseName(name: string): SegmentName | undefined {
  const open = OPEN.exec(name)
  if (open) return { sequence: Number(open[1]) }
  const closed = CLOSED.exec(name)
  if (!closed) return undefined
  const start = timeOf(closed[2]!) * 1000
  const end = timeOf(closed[3]!) * 1000
  return Number.isNaN(start + end) ? undefined : { sequence: Number(closed[1]), range: { start, end } }
}

function timeText(ms: number): string {
  return new Date(ms).toISOString().replace(/[-:.]/g, '')
}

function timeOf(text: string): number {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)(\d{3})Z$/.exec(text)
  if (!parts) return Number.NaN
  const [, year, month, day, hour, minute, second, ms] = parts
  return Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${second}.${ms}Z`)
}
