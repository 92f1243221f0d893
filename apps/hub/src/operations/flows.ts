import { Problem, shapes } from '@tapdeck/api'
import { askMerged, type FlowQuery, type FlowRow, keyOfFlow } from '@tapdeck/questions'
import { z } from 'zod'
import { SourceSet } from '../query/source-set.ts'
import { answerNotes } from './answer-notes.ts'
import { sourcesOf } from './calls.ts'
import { chosenFields } from './chosen-fields.ts'
import type { Handler } from './handler.ts'
import { requireValidWindow } from './require-valid-window.ts'
import { undecidedOwnership } from './undecided-ownership.ts'
import { whyNoFlows } from './why-no-flows.ts'

type Flow = z.input<typeof shapes.flowPage>['flows'][number]
type Format = 'compact' | 'full' | 'raw'

export const listL4Flows: Handler<'list_l4_flows'> = async (input, services, { caller }) => {
  requireValidWindow(input)
  const { db, format, fields, cursor, ...rest } = input
  const query = { ...rest, ...afterCursor(rest, cursor) }
  const asked = sourcesOf(db, services, caller)
  const sources = new SourceSet(asked)
  const { flows, total, total_is, approximate } = await askMerged(sources, 'flows', given(query))
  const notes = answerNotes(db, services, caller, input, sources.missing)
  return {
    flows: chosenFields(
      flows.map((row) => shown(row, sources.nodeAt(row.source ?? 0), format)),
      fields,
      Object.keys(shapes.flowPage.shape.flows.element.shape),
    ),
    total,
    ...flowCertainty(total_is, notes),
    truncated: total > flows.length,
    ...(query.order === 'key' && { next_cursor: flows.length < total ? nextCursor(flows, query) : null }),
    ...(approximate && { approximate }),
    ...(total === 0 && (await reason(whyNoFlows(query, asked)))),
    ...notes,
    ...(await undecidedOwnership(asked, { ...input, kfl: '' })),
  }
}

interface KeyOrder {
  readonly order: string
  readonly aggregate?: FlowQuery['aggregate'] | undefined
  readonly limit: number
}

const wholeCursor = z.object({ aggregate: z.string(), after: z.string() })

/** The key after which a page begins. It says nothing that the page before did not. */
function afterCursor({ order, aggregate }: KeyOrder, cursor: string | undefined): { after?: string } {
  if (cursor === undefined) return {}
  if (order !== 'key') throw new Problem(400, 'bad_cursor', 'Give order=key with a cursor')
  try {
    const made = wholeCursor.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString()))
    if (made.aggregate === (aggregate ?? 'address')) return { after: made.after }
  } catch {
    // The same answer as for a cursor of another view.
  }
  throw new Problem(
    400,
    'bad_cursor',
    'Invalid cursor: use next_cursor of an earlier response with the same aggregate',
  )
}

function nextCursor(flows: readonly FlowRow[], { aggregate, limit }: KeyOrder): string | null {
  const last = flows.at(-1)
  if (last === undefined || flows.length < limit) return null
  const view = aggregate ?? 'address'
  return Buffer.from(JSON.stringify({ aggregate: view, after: keyOfFlow(last, view) })).toString('base64url')
}

/** Rows of missing nodes come on top; those that several nodes have are counted more than once. */
function flowCertainty(counted: 'at_most' | undefined, { missing_nodes }: ReturnType<typeof answerNotes>) {
  if (missing_nodes === undefined) return counted && { total_is: counted }
  return { total_is: counted ? ('estimate' as const) : ('at_least' as const) }
}

/** An answer that is right does not fail because the reason is not known. */
async function reason(why: Promise<string>): Promise<{ why_empty?: string }> {
  return why.then((why_empty) => ({ why_empty })).catch(() => ({}))
}

type Given<Input> = { [Name in keyof Input]: Exclude<Input[Name], undefined> }

/** Without the keys that were not given. */
function given<Input extends object>(input: Input): Given<Input> {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined)) as Given<Input>
}

/** Full adds rates and the time of the last packet to each side; raw the node. */
function shown(row: FlowRow, worker: string, format: Format): Flow {
  const {
    flows,
    start_ts,
    last_ts,
    open,
    open_last_ts,
    source: _source,
    handshakes: _handshakes,
    ...rest
  } = row
  const compact = { ...rest, client: { ...row.client }, server: { ...row.server }, flows, start_ts, last_ts }
  if (format === 'compact') return compact
  const seconds = Math.max((last_ts - start_ts) / 1000, 1)
  const full = {
    ...compact,
    client_stats: withRates(row.client_stats, seconds, last_ts),
    server_stats: withRates(row.server_stats, seconds, last_ts),
  }
  return format === 'full' ? full : { ...full, ...given({ open, open_last_ts }), worker }
}

function withRates(stats: FlowRow['client_stats'], seconds: number, timestamp: number) {
  return {
    ...stats,
    tx_pps: stats.tx_pkts / seconds,
    rx_pps: stats.rx_pkts / seconds,
    tx_bps: stats.tx_bytes / seconds,
    rx_bps: stats.rx_bytes / seconds,
    timestamp,
  }
}
