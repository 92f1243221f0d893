import { Problem } from '@tapdeck/api'

/** How far a list of events has got: a time, and how many of that time were given. */
export interface EventPlace {
  readonly ts: number
  readonly skip: number
}

const MAX_SKIPPED = 1_000_000

export function eventCursor({ ts, skip }: EventPlace): string {
  return Buffer.from(`${ts}/${skip}`).toString('base64url')
}

export function eventPlace(cursor: string): EventPlace {
  const [, ts, skip] =
    /^(-?\d+(?:\.\d+)?)\/(\d{1,7})$/.exec(Buffer.from(cursor, 'base64url').toString()) ?? []
  if (ts === undefined || Number(skip) > MAX_SKIPPED)
    throw new Problem(400, 'bad_cursor', 'Invalid cursor: use next_cursor of an earlier response')
  return { ts: Number(ts), skip: Number(skip) }
}
