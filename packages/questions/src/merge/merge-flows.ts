import { addDistributions } from '../distribution.ts'
import { type FlowRow, type FlowStats, keyOfFlow } from '../flow-row.ts'
import { handshakePercentiles } from '../handshake-counts.ts'
import type { AnswerSources, Input, Output } from '../question.ts'
import { flowKeyPage } from './flow-key-page.ts'
import { topRows } from './top-rows.ts'

/** Distinct rows that are counted over several sources. */
const MAX_COUNTED = 1_000_000

const scores = {
  bytes: ({ totals }: FlowRow) => totals.bytes,
  packets: ({ totals }: FlowRow) => totals.pkts,
  newest: ({ last_ts }: FlowRow) => last_ts,
} as const

/** Who talked to whom, over several sources: one row for a key, whichever sources have it. */
export async function mergeFlows(sources: AnswerSources, input: Input<'flows'>): Promise<Output<'flows'>> {
  const { order } = input
  if (order === 'key') {
    const { page, total, totals } = await flowKeyPage(sources, input)
    const merged = page.map(({ key, of }) => merge(key, of))
    const flows = await withPercentiles(sources, input, merged)
    if (total !== undefined) return { flows, total }
    // Of pages, only the first is counted exactly: it costs a second round.
    if (input.after === undefined) return { flows, ...(await countRows(sources, input, totals)) }
    return { flows, total: sumOf(totals), total_is: 'at_most' as const }
  }
  const view = input.aggregate ?? 'address'
  const score = scores[order]
  const totals = new Map<number, number>()
  const { rows, complete, approximate } = await topRows<FlowRow>(
    {
      sources: sources.count,
      combine: order === 'newest' ? 'max' : 'sum',
      key: (row) => keyOfFlow(row, view),
      score,
      async ask({ limit, atLeast, only }, at) {
        const asked = {
          ...input,
          limit,
          ...(atLeast !== undefined && { at_least: atLeast }),
          ...(only && { only: only.map((row) => keyOfFlow(row, view)) }),
        }
        const answers = await sources.ask('flows', asked, at)
        for (const [source, { total }] of answers) if (!totals.has(source)) totals.set(source, total)
        return new Map([...answers].map(([source, { flows }]) => [source, flows]))
      },
    },
    input.limit,
  )
  const first = [...rows]
    .map(([key, of]) => merge(key, of))
    .sort((a, b) => score(b.merged) - score(a.merged) || (a.key < b.key ? -1 : 1))
    .slice(0, input.limit)
  return {
    flows: await withPercentiles(sources, input, first),
    ...(complete ? { total: rows.size } : await countRows(sources, input, totals)),
    ...(approximate && { approximate: true as const }),
  }
}

interface Shared {
  readonly key: string
  readonly of: ReadonlyMap<number, FlowRow>
  readonly merged: FlowRow
}

function merge(key: string, of: ReadonlyMap<number, FlowRow>): Shared {
  return { key, of, merged: { ...mergeRow([...of.values()]), source: Math.min(...of.keys()) } }
}

/** A second round: the handshakes of rows that several sources have. */
async function withPercentiles(sources: AnswerSources, input: Input<'flows'>, rows: readonly Shared[]) {
  const several = rows.filter(({ of }) => of.size > 1)
  if (several.length === 0) return rows.map(({ merged }) => merged)
  const places = [...new Set(several.flatMap(({ of }) => [...of.keys()]))]
  const { after: _after, ...query } = input
  const asked = { ...query, only: several.map(({ key }) => key), limit: several.length, distributions: true }
  const answers = await sources.ask('flows', asked, places)
  const handshakes = new Map<string, NonNullable<FlowRow['handshakes']>[]>()
  for (const row of [...answers.values()].flatMap(({ flows }) => flows)) {
    const key = keyOfFlow(row, input.aggregate ?? 'address')
    if (row.handshakes) handshakes.set(key, [...(handshakes.get(key) ?? []), row.handshakes])
  }
  return rows.map(({ key, of, merged }) => {
    const known = of.size > 1 ? handshakes.get(key) : undefined
    if (known === undefined || known.length < of.size) return merged
    const all = addDistributions(known)
    const stats = (side: FlowStats): FlowStats => ({
      ...counters(side),
      ...handshakePercentiles(all),
      ...(all.rounded && { percentiles_are: 'estimate' as const }),
    })
    return { ...merged, client_stats: stats(merged.client_stats), server_stats: stats(merged.server_stats) }
  })
}

/** How many rows there are, those of several sources counted once; at most, where there are too many to compare. */
async function countRows(sources: AnswerSources, input: Input<'flows'>, totals: ReadonlyMap<number, number>) {
  const sum = sumOf(totals)
  if (sum > MAX_COUNTED) return { total: sum, total_is: 'at_most' as const }
  const answers = await sources.ask('flows', { ...input, limit: 0, hashes: true }, [...totals.keys()])
  const all = [...answers.values()]
  if (all.some(({ hashes }) => hashes === undefined)) return { total: sum, total_is: 'at_most' as const }
  return { total: new Set(all.flatMap(({ hashes }) => hashes ?? [])).size }
}

function sumOf(totals: ReadonlyMap<number, number>): number {
  return [...totals.values()].reduce((all, total) => all + total, 0)
}

function mergeRow(rows: readonly FlowRow[]): FlowRow {
  const { handshakes: _handshakes, ...first } = rows[0]!
  if (rows.length === 1) return first
  const start_ts = Math.min(...rows.map((row) => row.start_ts))
  const last_ts = Math.max(...rows.map((row) => row.last_ts))
  const seconds = Math.max((last_ts - start_ts) / 1000, 1)
  const total = (read: (row: FlowRow) => number) => rows.reduce((sum, row) => sum + read(row), 0)
  const [pkts, bytes] = [total(({ totals }) => totals.pkts), total(({ totals }) => totals.bytes)]
  return {
    ...first,
    client_stats: mergeStats(rows, 'client_stats'),
    server_stats: mergeStats(rows, 'server_stats'),
    totals: { pkts, bytes, pps: pkts / seconds, bps: bytes / seconds },
    flows: total(({ flows }) => flows),
    start_ts,
    last_ts,
    ...mergeTrouble(rows),
    ...mergeOpen(rows),
  }
}

function mergeOpen(rows: readonly FlowRow[]): Pick<FlowRow, 'open' | 'open_last_ts'> {
  const open = rows.reduce((sum, row) => sum + (row.open ?? 0), 0)
  if (open === 0) return {}
  const last = rows.reduce((sum, row) => sum + (row.open ?? 0) * (row.open_last_ts ?? 0), 0)
  return { open, open_last_ts: last / open }
}

function mergeTrouble(rows: readonly FlowRow[]): Pick<FlowRow, 'tcp'> {
  const all = rows.flatMap(({ tcp }) => tcp ?? [])
  if (all.length === 0) return {}
  const total = (name: 'retransmissions' | 'out_of_order' | 'zero_window' | 'resets') =>
    all.reduce((sum, one) => sum + one[name], 0)
  const first = (name: 'client_zero_window_ts' | 'server_zero_window_ts') => {
    const times = all.flatMap((one) => one[name] ?? [])
    return times.length === 0 ? {} : { [name]: Math.min(...times) }
  }
  return {
    tcp: {
      retransmissions: total('retransmissions'),
      out_of_order: total('out_of_order'),
      zero_window: total('zero_window'),
      resets: total('resets'),
      ...first('client_zero_window_ts'),
      ...first('server_zero_window_ts'),
    },
  }
}

const percentiles = ['tcp_handshake_p50_us', 'tcp_handshake_p90_us', 'tcp_handshake_p99_us'] as const

/** Counts add up; percentiles are weighted by flows until `withPercentiles` has better ones. */
function mergeStats(rows: readonly FlowRow[], side: 'client_stats' | 'server_stats'): FlowStats {
  const weighted = percentiles.flatMap((name) => {
    const having = rows.filter((row) => row[side][name] !== undefined)
    const weight = having.reduce((sum, { flows }) => sum + flows, 0)
    if (weight === 0) return []
    const mean = having.reduce((sum, row) => sum + (row[side][name] ?? 0) * row.flows, 0) / weight
    return [[name, Math.round(mean)]]
  })
  const total = (name: 'tx_pkts' | 'rx_pkts' | 'tx_bytes' | 'rx_bytes') =>
    rows.reduce((sum, row) => sum + row[side][name], 0)
  return {
    ...{ tx_pkts: total('tx_pkts'), rx_pkts: total('rx_pkts') },
    ...{ tx_bytes: total('tx_bytes'), rx_bytes: total('rx_bytes') },
    ...Object.fromEntries(weighted),
    ...(weighted.length > 0 && { percentiles_are: 'estimate' as const }),
  }
}

function counters({ tx_pkts, rx_pkts, tx_bytes, rx_bytes }: FlowStats): FlowStats {
  return { tx_pkts, rx_pkts, tx_bytes, rx_bytes }
}
