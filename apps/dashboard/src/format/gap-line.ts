import { timeWindow } from './time.ts'

interface Gap {
  readonly node: string
  readonly from_ts: number
  readonly to_ts: number
  readonly reason: string
  readonly detail?: string
}

interface IncompleteSpan {
  readonly start: string
  readonly end: string
  readonly node?: string | undefined
  readonly kind?: string | undefined
  readonly reason?: string | undefined
  readonly detail?: string | undefined
  readonly pending?: boolean | undefined
}

/** A time of which nothing was recorded: from when to when, on which node, and why. */
export function gapLine({ node, from_ts, to_ts, reason, detail }: Gap): string {
  return `${timeWindow(from_ts, to_ts)}, ${node}: ${detail ?? reason}`
}

/** A time of which an answer misses something. */
export function incompleteLine({ start, end, node, kind, reason, detail, pending }: IncompleteSpan): string {
  const why = detail ?? reason ?? 'indexing fell behind'
  const what = kind === 'not_recorded' ? 'not recorded' : 'not indexed'
  const where = node === undefined ? '' : `, ${node}`
  const soon = pending ? '; it is being indexed now' : ''
  return `${timeWindow(Date.parse(start), Date.parse(end))}${where}: ${what}, ${why}${soon}`
}
