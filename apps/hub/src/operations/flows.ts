import type { shapes } from '@tapdeck/api'
import type { z } from 'zod'
import { askAll } from '../query/ask-all.ts'
import { sourcesOf } from './calls.ts'
import { demandWindow } from './demand-window.ts'
import type { Handler } from './handler.ts'
import { liveNotes } from './live-notes.ts'

type Flow = z.input<typeof shapes.flowPage>['flows'][number]
/** As a node tells it: with all that the fullest form has. */
type FlowRow = Flow & Readonly<Record<'flows' | 'start_ts' | 'last_ts', number>>
type Format = 'compact' | 'full' | 'raw'

export const listL4Flows: Handler<'list_l4_flows'> = async (input, parts, { caller }) => {
  demandWindow(input)
  const { db, format, ...query } = input
  const asked = Object.fromEntries(Object.entries(query).filter(([, value]) => value !== undefined))
  const { answers, missing } = await askAll(sourcesOf(db, parts, caller), 'flows', asked)
  const rows = answers.flatMap(({ source, output }) =>
    (output.flows as FlowRow[]).map((row) => ({ node: source.node, row })),
  )
  if (answers.length > 1) rows.sort((a, b) => orders[input.order](b.row) - orders[input.order](a.row))
  const total = answers.reduce((sum, { output }) => sum + output.total, 0)
  return {
    flows: rows.slice(0, input.limit).map(({ node, row }) => shown(row, node, format)),
    total,
    truncated: total > Math.min(rows.length, input.limit),
    ...(missing.length > 0 && { missing_nodes: [...missing] }),
    ...(db === undefined && liveNotes(parts, caller, input)),
  }
}

const orders = {
  bytes: ({ totals }: FlowRow) => totals.bytes,
  packets: ({ totals }: FlowRow) => totals.pkts,
  newest: ({ last_ts }: FlowRow) => last_ts,
} as const

/** Full adds rates and the time of the last packet to each side; raw what was added up, and by which node. */
function shown(row: FlowRow, node: string, format: Format): Flow {
  const { flows, start_ts, last_ts, ...compact } = row
  if (format === 'compact') return compact
  const seconds = Math.max((last_ts - start_ts) / 1000, 1)
  const full = {
    ...compact,
    client_stats: withRates(row.client_stats, seconds, last_ts),
    server_stats: withRates(row.server_stats, seconds, last_ts),
  }
  return format === 'full' ? full : { ...full, flows, start_ts, last_ts, worker: node }
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
