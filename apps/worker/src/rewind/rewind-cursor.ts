import { Problem } from '@tapdeck/api'
import type { Slice } from './slice-plan.ts'

/** Where a call stands in the order of calls. */
export interface Place {
  /** Microseconds. */
  readonly ts: number
  readonly flow: number
  readonly ordinal: number
}

/**
 * Where to go on. It carries the window, since `the last five minutes` is another one by the time of the next page,
 * and the slice, since calls of long connections have the same ids only when read from the same packet on.
 */
export interface RewindCursor {
  /** Microseconds: calls of `[from, to)` are wanted. */
  readonly from: number
  readonly to: number
  /** Up to here, or from here on, all was searched. */
  readonly at: number
  readonly slice?: Slice
  /** The last call of the slice that was given. */
  readonly after?: Place
}

/** Negative where `a` is older than `b`. */
export function comparePlaces(a: Place, b: Place): number {
  return a.ts - b.ts || a.flow - b.flow || a.ordinal - b.ordinal
}

/** What must stay the same from page to page. */
export function queryText({ order, kfl }: { readonly order: string; readonly kfl: string }): string {
  return `${order} ${kfl}`
}

/** `query` is what must stay the same from page to page. */
export function toCursor({ from, to, at, slice, after }: RewindCursor, query: string): string {
  const numbers = [digest(query), from, to, at]
  if (slice && after)
    numbers.push(slice.readFrom, slice.from, slice.to, slice.readTo, after.ts, after.flow, after.ordinal)
  return Buffer.from(numbers.join()).toString('base64url')
}

export function fromCursor(cursor: string, query: string): RewindCursor {
  const numbers = Buffer.from(cursor, 'base64url').toString().split(',').map(Number)
  if ((numbers.length !== 4 && numbers.length !== 11) || !numbers.every(isTime))
    throw new Problem(400, 'bad_cursor', 'this is no cursor of the recording')
  const [
    sum,
    from = 0,
    to = 0,
    at = 0,
    readFrom = 0,
    first = 0,
    last = 0,
    readTo = 0,
    ts = 0,
    flow = 0,
    ordinal = 0,
  ] = numbers
  if (sum !== digest(query))
    throw new Problem(
      400,
      'bad_cursor',
      'the cursor belongs to another query: filter and order must stay the same',
    )
  if (numbers.length === 4) return { from, to, at }
  return {
    from,
    to,
    at,
    slice: { readFrom, from: first, to: last, readTo, bytes: 0 },
    after: { ts, flow, ordinal },
  }
}

/** No cursor that was given out has a number that is no microsecond of any date. */
function isTime(number: number): boolean {
  return Math.abs(number) <= 8.64e18
}

/** FNV-1a. It tells a slip from a continuation; it guards nothing. */
function digest(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
