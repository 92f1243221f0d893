import type { WorkerRequests } from '@tapdeck/api'
import {
  compareCursors,
  type FlowPeer,
  type FlowQuery,
  type FlowRow,
  type FlowStats,
  type HandshakeCounts,
  type HandshakePercentiles,
  mergeHandshakes,
} from '@tapdeck/index'
import type { Question } from '../query/call-source.ts'
import { countedFrom, mergeGroups, type StatsGroup } from '../query/merge-groups.ts'

type Input<Name extends Question> = WorkerRequests[Name]['input']
type Output<Name extends Question> = WorkerRequests[Name]['output']

type Merging = {
  [Name in Question]: (outputs: readonly Output<Name>[], input: Input<Name>) => Output<Name>
}

/** By destination. */
export type Handshakes = ReadonlyMap<string, HandshakePercentiles>

/** Several indexes that share no flow. */
export interface Shares {
  /** Resolves with an answer of each of them; with `handshakes`, calls tell these. */
  ask<Name extends Question>(
    question: Name,
    input: Input<Name>,
    handshakes?: Handshakes,
  ): Promise<readonly Output<Name>[]>
  handshakes(): Promise<readonly HandshakeCounts[]>
}

const certainties = ['exact', 'at_least', 'estimate'] as const
/** Groups that each index is asked for: what is not among the first of one may be among the first of all. */
const MOST_GROUPS = 10_000

/** Asks several indexes, all at once, and makes one answer of theirs. */
export async function askAndMerge<Name extends Question>(
  shares: Shares,
  question: Name,
  input: Input<Name>,
): Promise<Output<Name>> {
  const handshakes = readsHandshakes(question, input) ? mergeHandshakes(await shares.handshakes()) : undefined
  const asked = await forEach(shares, question, input)
  return mergeAnswers(question, input, await shares.ask(question, asked, handshakes))
}

/** Whether the percentiles of a destination, which are those of all its connections, are shown or decide what matches. */
function readsHandshakes(question: Question, input: object): boolean {
  const { format = 'compact', kfl = '' } = input as { readonly format?: string; readonly kfl?: string }
  return question === 'call' || (question === 'calls' && format !== 'compact') || kfl.includes('handshake')
}

/** What each of them is asked, so that the parts fit together. */
async function forEach<Name extends Question>(
  shares: Shares,
  question: Name,
  input: Input<Name>,
): Promise<Input<Name>> {
  if (question === 'flows' || question === 'values') return withMore(input)
  if (question !== 'stats') return input
  // Rates and time buckets follow from the span of the data: of all of it.
  const { oldest_ts, newest_ts } = merging.summary(await shares.ask('summary', {}), {})
  const span = oldest_ts === null || newest_ts === null ? {} : { span: { from: oldest_ts, to: newest_ts } }
  const byTime = (input as Input<'stats'>).group_by === 'time'
  return { ...span, ...(byTime ? input : withMore(input)) }
}

function withMore<Asked>(input: Asked): Asked {
  return { ...input, limit: Math.max(MOST_GROUPS, Number((input as { readonly limit: unknown }).limit)) }
}

/**
 * One answer out of those of several indexes that share no flow, as one index of all would give it. Percentiles of groups
 * that are in several of them are estimates, and say so.
 */
function mergeAnswers<Name extends Question>(
  question: Name,
  input: Input<Name>,
  outputs: readonly Output<Name>[],
): Output<Name> {
  return merging[question](outputs, input)
}

const merging: Merging = {
  calls: mergePages,
  call: (outputs) => ({ call: outputs.find(({ call }) => call !== null)?.call ?? null }),
  count: (outputs) => ({ count: sum(outputs.map(({ count }) => count)) }),
  stats(outputs, { group_by, limit }) {
    const lists = outputs.map(({ groups }) => groups as StatsGroup[])
    return { groups: mergeGroups(lists, group_by === 'time').slice(0, limit), ...countedFrom(outputs) }
  },
  values(outputs, { limit }) {
    const counts = new Map<string | number | boolean, number>()
    for (const { value, calls } of outputs.flatMap(({ values }) => values))
      counts.set(value, (counts.get(value) ?? 0) + calls)
    const values = [...counts].map(([value, calls]) => ({ value, calls }))
    const inOrder = (a: (typeof values)[number], b: (typeof values)[number]) =>
      b.calls - a.calls || (String(a.value) < String(b.value) ? -1 : 1)
    return { values: values.sort(inOrder).slice(0, limit) }
  },
  flows: mergeFlows,
  summary(outputs) {
    const times = (name: 'oldest_ts' | 'newest_ts') => outputs.flatMap((output) => output[name] ?? [])
    const [oldest, newest] = [times('oldest_ts'), times('newest_ts')]
    const protocols: Record<string, number> = {}
    for (const [name, calls] of outputs.flatMap(({ by_protocol }) => Object.entries(by_protocol)))
      protocols[name] = (protocols[name] ?? 0) + calls
    return {
      calls: sum(outputs.map(({ calls }) => calls)),
      flows: sum(outputs.map(({ flows }) => flows)),
      oldest_ts: oldest.length > 0 ? Math.min(...oldest) : null,
      newest_ts: newest.length > 0 ? Math.max(...newest) : null,
      size_bytes: sum(outputs.map(({ size_bytes }) => size_bytes)),
      by_protocol: protocols,
    }
  },
}

/** Pages of the same query from the same position: the first calls of all of them, in the order that positions have. */
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
  const certainty = Math.max(...pages.map(({ total_is }) => certainties.indexOf(total_is)))
  return {
    calls: page.map(({ call }) => call),
    cursors: page.map(({ cursor }) => cursor),
    total: sum(pages.map(({ total }) => total)),
    total_is: certainties[certainty]!,
    ...(next !== undefined && { next_cursor: next }),
  }
}

function mergeFlows(outputs: readonly Output<'flows'>[], input: Input<'flows'>): Output<'flows'> {
  const { limit, order, aggregate } = input as unknown as FlowQuery
  const rows = new Map<string, FlowRow>()
  let twice = 0
  for (const row of outputs.flatMap(({ flows }) => flows as FlowRow[])) {
    const ends = [row.client, row.server].flatMap((end) =>
      keys[aggregate ?? 'address'].map((key) => end[key]),
    )
    const key = JSON.stringify([row.proto, ...ends])
    const known = rows.get(key)
    if (known !== undefined) twice++
    rows.set(key, known === undefined ? row : added(known, row))
  }
  return {
    flows: [...rows.values()].sort((a, b) => orders[order](b) - orders[order](a)).slice(0, limit),
    total: sum(outputs.map(({ total }) => total)) - twice,
  }
}

/** By what flows are put together in each view: all else that a peer has may differ from flow to flow. */
const keys: Readonly<Record<NonNullable<FlowQuery['aggregate']> | 'address', readonly (keyof FlowPeer)[]>> = {
  address: ['ip', 'port'],
  pod: ['pod', 'ns', 'ip'],
  service: ['svc', 'ns', 'ip'],
  namespace: ['ns'],
  node: ['node'],
}

const orders = {
  bytes: ({ totals }: FlowRow) => totals.bytes,
  packets: ({ totals }: FlowRow) => totals.pkts,
  newest: ({ last_ts }: FlowRow) => last_ts,
} as const

function added(a: FlowRow, b: FlowRow): FlowRow {
  const start_ts = Math.min(a.start_ts, b.start_ts)
  const last_ts = Math.max(a.last_ts, b.last_ts)
  const seconds = Math.max((last_ts - start_ts) / 1000, 1)
  const pkts = a.totals.pkts + b.totals.pkts
  const bytes = a.totals.bytes + b.totals.bytes
  const statsOf = (side: 'client_stats' | 'server_stats') => addedStats(a[side], a.flows, b[side], b.flows)
  return {
    ...a,
    client_stats: statsOf('client_stats'),
    server_stats: statsOf('server_stats'),
    totals: { pkts, bytes, pps: pkts / seconds, bps: bytes / seconds },
    flows: a.flows + b.flows,
    start_ts,
    last_ts,
  }
}

const percentiles = ['tcp_handshake_p50_us', 'tcp_handshake_p90_us', 'tcp_handshake_p99_us'] as const

/** Counts add up; percentiles that both have are weighed by the flows, which is an estimate and says so. */
function addedStats(a: FlowStats, flowsOfA: number, b: FlowStats, flowsOfB: number): FlowStats {
  const weighed = percentiles.flatMap((name) => {
    const [one = b[name], other = one] = [a[name], b[name]]
    if (one === undefined || other === undefined) return []
    return [[name, Math.round((one * flowsOfA + other * flowsOfB) / (flowsOfA + flowsOfB))]]
  })
  return {
    tx_pkts: a.tx_pkts + b.tx_pkts,
    rx_pkts: a.rx_pkts + b.rx_pkts,
    tx_bytes: a.tx_bytes + b.tx_bytes,
    rx_bytes: a.rx_bytes + b.rx_bytes,
    ...Object.fromEntries(weighed),
    ...(isEstimate(a, b) && { percentiles_are: 'estimate' as const }),
  }
}

function isEstimate(a: FlowStats, b: FlowStats): boolean {
  const [name] = percentiles
  return (
    (a.percentiles_are ?? b.percentiles_are) !== undefined || (a[name] !== undefined && b[name] !== undefined)
  )
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
