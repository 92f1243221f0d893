import { Problem } from '@tapdeck/api'
import type { Slice } from './slice-plan.ts'

/** The position of a call in the order of calls. */
export interface Place {
  /** Microseconds. */
  readonly ts: number
  readonly flow: number
  readonly ordinal: number
}

/**
 * Where the next page starts. It contains the window, because `the last five minutes` moves between two pages, and the
 * slice, because calls of long connections only get the same ids if reading starts at the same packet.
 */
export interface RewindCursor {
  /** The window `[from, to)`, in microseconds. */
  readonly from: number
  readonly to: number
  /** The edge of the part that has been searched. */
  readonly at: number
  readonly slice?: Slice
  /** The last call of the slice that was returned. */
  readonly after?: Place
}

/** Negative if `a` is older than `b`. */
export function comparePlaces(a: Place, b: Place): number {
  return a.ts - b.ts || a.flow - b.flow || a.ordinal - b.ordinal
}

/** The part of a query that must not change from page to page. */
export function queryText({ order, kfl }: { readonly order: string; readonly kfl: string }): string {
  return `${order} ${kfl}`
}

export function toCursor({ from, to, at, slice, after }: RewindCursor, query: string): string {
  const numbers = [digest(query), from, to, at]
  if (slice && after)
    numbers.push(slice.readFrom, slice.from, slice.to, slice.readTo, after.ts, after.flow, after.ordinal)
  return Buffer.from(numbers.join()).toString('base64url')
}

export function fromCursor(cursor: string, query: string): RewindCursor {
  const numbers = Buffer.from(cursor, 'base64url').toString().split(',').map(Number)
  if ((numbers.length !== 4 && numbers.length !== 11) || !numbers.every(isTime))
    throw new Problem(400, 'bad_cursor', 'Invalid cursor: use `next_cursor` of the previous page unchanged')
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
      'The cursor belongs to another query: filter and order must not change between pages',
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

/** Bounds the numbers of a cursor to the range of valid dates. */
function isTime(number: number): boolean {
  return Math.abs(number) <= 8.64e18
}

/** FNV-1a. It detects mistakes; it is no protection against forged cursors. */
function digest(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
