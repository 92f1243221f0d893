import { parseDuration } from '@tapdeck/units'
import { type OptionValues, text } from '../arguments/option.ts'
import { UsageError } from '../arguments/usage-error.ts'

/** Options of commands that read a window of time. */
export const windowOptions = {
  since: text('DURATION', 'Only the most recent time, such as 90s, 5m or 1h.'),
  start: text('TIME', 'From this time on: RFC 3339 or Unix milliseconds.'),
  end: text('TIME', 'Up to this time.'),
}

/** Begin and end as the hub takes them. Throws `UsageError`. */
export function windowOf(
  { since, start, end }: OptionValues<typeof windowOptions>,
  now = Date.now(),
): { readonly start: string | undefined; readonly end: string | undefined } {
  if (since === undefined) return { start, end }
  if (start !== undefined) throw new UsageError('--since and --start: give one of them')
  return { start: String(Math.floor(now - sinceMs(since))), end }
}

/** Throws `UsageError` where the text is not a duration. */
export function sinceMs(since: string): number {
  const length = parseDuration(since)
  if (!length) throw new UsageError(`--since: expected a duration such as 90s, 5m or 1h, not "${since}"`)
  return length
}
