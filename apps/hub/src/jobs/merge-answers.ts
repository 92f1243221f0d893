import type { WorkerRequests } from '@tapdeck/api'
import { compareCursors, type FlowPeer, type FlowQuery, type FlowRow } from '@tapdeck/index'
import type { Question } from '../query/call-source.ts'
import { mergeGroups, type StatsGroup } from '../query/merge-groups.ts'

type Input<Name extends Question> = WorkerRequests[Name]['input']
type Output<Name extends Question> = WorkerRequests[Name]['output']

type Merging = {
  [Name in Question]: (outputs: readonly Output<Name>[], input: Input<Name>) => Output<Name>
}

const certainties = ['exact', 'at_least', 'estimate'] as const

/**
 * One answer out of those of several indexes that share no flow, as one index of all would give it. Percentiles of groups
 * that are in several of them are estimates, and say so.
 */
export function mergeAnswers<Name extends Question>(
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
  stats: (outputs) => ({ groups: mergeGroups(outputs.map(({ groups }) => groups as StatsGroup[])) }),
  values(outputs, { limit }) {
    const counts = new Map<string | number | boolean, number>()
    for (const { value, calls } of outputs.flatMap(({ values }) => values))
      counts.set(value, (counts.get(value) ?? 0) + calls)
    const values = [...counts].map(([value, calls]) => ({ value, calls }))
    return { values: values.sort((a, b) => b.calls - a.calls).slice(0, limit) }
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
  const { limit, order } = input as unknown as FlowQuery
  const rows = new Map<string, FlowRow>()
  let twice = 0
  for (const row of outputs.flatMap(({ flows }) => flows as FlowRow[])) {
    const key = JSON.stringify([row.proto, nameOf(row.client), nameOf(row.server)])
    const known = rows.get(key)
    if (known !== undefined) twice++
    rows.set(key, known === undefined ? row : added(known, row))
  }
  return {
    flows: [...rows.values()].sort((a, b) => orders[order](b) - orders[order](a)).slice(0, limit),
    total: sum(outputs.map(({ total }) => total)) - twice,
  }
}

const orders = {
  bytes: ({ totals }: FlowRow) => totals.bytes,
  packets: ({ totals }: FlowRow) => totals.pkts,
  newest: ({ last_ts }: FlowRow) => last_ts,
} as const

function nameOf({ ip, port, pod, ns, svc, node }: FlowPeer): readonly unknown[] {
  return [ip, port, pod, ns, svc, node]
}

function added(a: FlowRow, b: FlowRow): FlowRow {
  return {
    ...a,
    client_stats: addedUp(a.client_stats, b.client_stats),
    server_stats: addedUp(a.server_stats, b.server_stats),
    totals: addedUp(a.totals, b.totals),
    flows: a.flows + b.flows,
    start_ts: Math.min(a.start_ts, b.start_ts),
    last_ts: Math.max(a.last_ts, b.last_ts),
  }
}

function addedUp<Counts extends object>(a: Counts, b: Counts): Counts {
  const more = Object.entries(b).map(([name, count]) => [name, (a as Record<string, number>)[name]! + count])
  return { ...a, ...Object.fromEntries(more) }
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}
