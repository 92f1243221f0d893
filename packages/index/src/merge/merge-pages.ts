import { compareCursors } from '../position.ts'
import type { Input, Output } from './answer-sources.ts'

const certainties = ['exact', 'at_least', 'estimate'] as const

/**
 * Pages of the same query from the same position of indexes whose flows have different ids: the first calls of all of
 * them, in the order of positions. One cursor is good for all.
 */
export function mergePages(
  pages: readonly Output<'calls'>[],
  { limit, order }: Input<'calls'>,
): Output<'calls'> {
  const sign = order === 'newest' ? -1 : 1
  const inOrder = (a: string, b: string) => sign * compareCursors(a, b)
  // Beyond the first of these, a page that goes on may have more.
  const [known] = pages.flatMap(({ next_cursor }) => next_cursor ?? []).sort(inOrder)
  const calls = pages
    .flatMap((page) => page.calls.map((call, i) => ({ call, cursor: page.cursors[i]! })))
    .filter(({ cursor }) => known === undefined || inOrder(cursor, known) <= 0)
    .sort((a, b) => inOrder(a.cursor, b.cursor))
  const page = calls.slice(0, limit)
  const next = calls.length > limit ? page.at(-1)?.cursor : known
  const certainty = Math.max(0, ...pages.map(({ total_is }) => certainties.indexOf(total_is)))
  return {
    calls: page.map(({ call }) => call),
    cursors: page.map(({ cursor }) => cursor),
    total: pages.reduce((sum, { total }) => sum + total, 0),
    total_is: certainties[certainty]!,
    ...(next !== undefined && { next_cursor: next }),
  }
}
