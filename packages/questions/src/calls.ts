import type { CallRecord } from '@tapdeck/dissect'
import { z } from 'zod'
import { callRow } from './call-row.ts'
import { count, list } from './message-values.ts'
import { compareCursors } from './position.ts'
import type { Compiled, Input, Narrowing, Output, Question, VisibleCall } from './question.ts'
import { kfl, limit, MAX_ROWS, MIB, order, owners, times } from './terms.ts'

const cursor = z.string().max(65_536)
const certainties = ['exact', 'at_least', 'estimate'] as const

export const listing = {
  kfl,
  limit,
  /** `newest` first is what people want. */
  order,
  format: z.enum(['compact', 'full', 'raw']),
  /** From the page before; opaque to callers. */
  cursor: cursor.exactOptional(),
  owners,
}

export const callPage = {
  calls: list(callRow, MAX_ROWS),
  total: count,
  total_is: z.enum(certainties),
  next_cursor: cursor.exactOptional(),
  /** One a call: where a page that continues after it begins. They let pages of several nodes be merged. */
  cursors: list(cursor, MAX_ROWS),
}

const input = z.object({ ...listing, ...times })
const output = z.object({
  ...callPage,
  /** The next page is not to be asked for now, though there may be one: the budget of the answer is used up. */
  spent: z.boolean().exactOptional(),
})

export interface CallQuery extends Omit<Compiled<z.output<typeof input>>, 'format'> {
  /** Whether the calls are to know what has become of their flows. */
  readonly flows?: boolean
}

/**
 * A page may end before its limit, even empty, and still have a cursor: where a filter needs payloads, only so many
 * candidates are read for one answer.
 */
export interface CallPage extends Readonly<Omit<z.output<typeof output>, 'calls'>> {
  readonly calls: readonly CallRecord[]
}

declare module './question.ts' {
  interface Questions {
    calls: Asked<typeof input, typeof output>
  }
  interface CallReader {
    calls(query: CallQuery): Promise<CallPage>
  }
}

export const calls: Question<'calls'> = {
  input,
  output,
  // Calls with their bodies.
  largest: 64 * MIB,
  inTurn: true,
  isOwned: true,

  async answer(index, { kfl, owners, format, ...query }, { filter }) {
    const flows = format !== 'compact'
    const { calls, cursors, ...page } = await index.calls({ ...query, filter: filter(kfl, owners), flows })
    return { ...page, calls: calls.map((call) => shown(call, format)), cursors }
  },

  async merge(sources, input) {
    return mergePages([...(await sources.ask('calls', input)).values()], input)
  },

  async narrow(input, narrowing) {
    const page = await narrowing.ask('calls', { ...input, kfl: narrowing.filter(input.kfl) })
    return { ...page, calls: page.calls.map((call) => ownHandshakes(call, narrowing)) }
  },

  async redact(input, { ask, allow, call }) {
    allow(input.kfl)
    const page = await ask('calls', input)
    return { ...page, calls: page.calls.map(call) }
  },
}

function shown(call: CallRecord, format: 'compact' | 'full' | 'raw'): unknown {
  if (format === 'compact') return call.compact()
  const full = call.toJSON()
  return format === 'full' ? full : { ...full, worker: call.node_id }
}

/** The handshakes of a destination outside are of others too: they are left out. */
export function ownHandshakes(call: unknown, { holds }: Narrowing): unknown {
  if (typeof call !== 'object' || call === null || holds((call as VisibleCall).dst?.ns)) return call
  return Object.fromEntries(Object.entries(call).filter(([name]) => !name.startsWith('tcp_handshake')))
}

/**
 * Pages of the same query from the same position of indexes whose flows have different ids: the first calls of all of
 * them, in the order of positions. One cursor is good for all.
 */
function mergePages(pages: readonly Output<'calls'>[], { limit, order }: Input<'calls'>): Output<'calls'> {
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
