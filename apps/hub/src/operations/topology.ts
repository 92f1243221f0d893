import type { OperationInput, OperationOutput } from '@tapdeck/api'
import { isIp } from '@tapdeck/ip'
import { compile } from '@tapdeck/kfl'
import {
  askMerged,
  dimensionsOf,
  type GroupName,
  partsOfGroup,
  type StatsGroup,
  type StatsGroupBy,
} from '@tapdeck/questions'
import { requireCapability } from '../access/access.ts'
import { type Change, comesAndGoes, failsMore, seemsSlower } from '../query/compare-groups.ts'
import { baselineOf, type ProfiledWindow, profiledWindow, timesOf } from '../query/compared-window.ts'
import { failuresOf } from '../query/failures-of.ts'
import { partsFilter } from '../query/group-filter.ts'
import { SourceSet } from '../query/source-set.ts'
import { answerNotes } from './answer-notes.ts'
import { sourcesOf } from './calls.ts'
import type { Handler } from './handler.ts'
import { requireValidWindow } from './require-valid-window.ts'

type Input = OperationInput<'get_topology'>
type Output = OperationOutput<'get_topology'>
type Edge = Output['edges'][number]
type Node = Output['nodes'][number]

/** Edges that are read; the busiest of them are listed. */
const MAX_EDGES = 2000
const MAX_PROTOCOL_ROWS = 5000
/** Edges with fewer calls on one side are not compared by latency or errors. */
const MIN_CALLS = 20

const pairs: Readonly<Record<Input['by'], StatsGroupBy>> = {
  service: 'src_service,service',
  workload: 'src_workload,workload',
  pod: 'src,dst',
  namespace: 'src_ns,ns',
  node: 'src_node,node',
}

export const getTopology: Handler<'get_topology'> = async (input, services, { caller }) => {
  const { db, start, end, kfl, by, limit } = input
  requireValidWindow(input)
  compile(kfl, services.catalog, services.now())
  const group_by = pairs[by]
  const against = baselineOf(input)
  if (against) requireCapability(caller, [against.db ? 'snapshot:read' : 'dissection:live'])
  const sources = sourcesOf(db, services, caller)
  const now = services.now()
  // One after another: each compiles the filter, and together they would hold the event loop.
  const asked = { kfl, group_by, limit: MAX_EDGES }
  const window = await profiledWindow({ db, start, end, sources }, asked, now)
  const protocols = await askMerged(new SourceSet(sources), 'stats', {
    kfl,
    group_by: `${group_by},proto` as StatsGroupBy,
    limit: MAX_PROTOCOL_ROWS,
    profile: true,
    ...timesOf(input),
  })
  const compared = against && { ...against, sources: sourcesOf(against.db, services, caller) }
  const baseline = compared && (await profiledWindow(compared, asked, now))
  const names = [...new Set([...window.groups.keys(), ...(baseline?.groups.keys() ?? [])])]
  const found = names.map((name) => edgeOf(name, group_by, window, baseline))
  const byPair = protocolsOf(protocols.groups)
  const all = found
    .sort((a, b) => weight(b.edge) - weight(a.edge) || (a.name < b.name ? -1 : 1))
    .map(({ name, edge }) => ({ ...edge, protocols: byPair.get(name) ?? {} }))
  const edges = all.slice(0, limit)
  const rest = all.slice(limit)
  const missing = [...window.missing, ...(baseline?.missing ?? [])]
  return {
    by,
    window: sideOf(db, window),
    ...(baseline && { baseline: sideOf(against?.db, baseline) }),
    nodes: nodesOf(names, edges, by),
    edges,
    ...((rest.length > 0 || window.cut) && {
      omitted: {
        edges: rest.length,
        calls: rest.reduce((sum, { calls }) => sum + calls, 0),
        hint: 'Pass a kfl filter (for example dst.ns == "shop"), a larger limit, or by=namespace.',
      },
    }),
    ...((window.approximate || baseline?.approximate) && { approximate: true as const }),
    ...answerNotes(db, services, caller, input, missing),
  }
}

interface Found {
  readonly name: string
  readonly edge: Omit<Edge, 'protocols'>
}

function edgeOf(
  name: string,
  group_by: StatsGroupBy,
  window: ProfiledWindow,
  baseline: ProfiledWindow | undefined,
): Found {
  const [after, before] = [window.groups.get(name), baseline?.groups.get(name)]
  const parts = partsOfGroup({ group: name })
  const [src, dst] = parts.map(idOf)
  const changes = baseline ? changesOf(name, baseline, window) : []
  const { req_bytes = 0, resp_bytes = 0, first_ts, last_ts } = after ?? {}
  return {
    name,
    edge: {
      src: src ?? '',
      dst: dst ?? '',
      ...figures(after, window.seconds),
      request_bytes: req_bytes,
      response_bytes: resp_bytes,
      ...(first_ts !== undefined && { first_at: new Date(first_ts).toISOString() }),
      ...(last_ts !== undefined && { last_at: new Date(last_ts).toISOString() }),
      kfl: partsFilter(dimensionsOf(group_by), parts),
      ...(changes.length > 0 && { changes }),
      ...(before && baseline && { baseline: figures(before, baseline.seconds) }),
    },
  }
}

type EdgeChange = Change<'new' | 'gone' | 'slower' | 'failing_more'>

function changesOf(name: string, baseline: ProfiledWindow, window: ProfiledWindow): EdgeChange[] {
  const [before, after] = [baseline.groups.get(name), window.groups.get(name)]
  if (before === undefined || after === undefined) {
    const change = comesAndGoes(name, baseline, window)
    return change ? [change] : []
  }
  if (Math.min(before.calls, after.calls) < MIN_CALLS) return []
  const failing = failsMore(before, after)
  const slower: EdgeChange[] = seemsSlower(before, after)
    ? [{ kind: 'slower', significance: 'likely', detail: latencyChange(before, after) }]
    : []
  return [...(failing ? [failing] : []), ...slower]
}

function latencyChange(before: StatsGroup, after: StatsGroup): string {
  const change = (name: 'latency_p50_ms' | 'latency_p90_ms') =>
    `${(before[name] ?? 0).toFixed(1)} → ${(after[name] ?? 0).toFixed(1)} ms`
  return `p50 ${change('latency_p50_ms')}, p90 ${change('latency_p90_ms')}`
}

function figures(group: StatsGroup | undefined, seconds: number) {
  const calls = group?.calls ?? 0
  const errors = group ? failuresOf(group) : 0
  const { latency_p50_ms, latency_p90_ms, latency_p95_ms, latency_p99_ms } = group ?? {}
  return {
    calls,
    rate: seconds === 0 ? 0 : calls / seconds,
    errors,
    error_rate: calls === 0 ? 0 : errors / calls,
    unanswered: group?.unanswered ?? 0,
    ...(latency_p50_ms !== undefined && { latency_p50_ms }),
    ...(latency_p90_ms !== undefined && { latency_p90_ms }),
    ...(latency_p95_ms !== undefined && { latency_p95_ms }),
    ...(latency_p99_ms !== undefined && { latency_p99_ms }),
    bytes: group?.bytes ?? 0,
  }
}

/** Calls by protocol of each pair. */
function protocolsOf(groups: readonly StatsGroup[]): ReadonlyMap<string, Record<string, number>> {
  const found = new Map<string, Record<string, number>>()
  for (const { group, calls } of groups) {
    const at = group.lastIndexOf('\u001e')
    const name = group.slice(0, at)
    found.set(name, { ...found.get(name), [group.slice(at + 1)]: calls })
  }
  return found
}

function nodesOf(names: readonly string[], edges: readonly Edge[], by: Input['by']): Node[] {
  const nodes = new Map<string, Node>()
  const parts = new Map(
    names.flatMap((name) => partsOfGroup({ group: name })).map((part) => [idOf(part), part]),
  )
  const add = (id: string, counts: Partial<Node>) => {
    const { group = id, ns } = parts.get(id) ?? {}
    const known = nodes.get(id) ?? {
      id,
      name: group,
      ...(ns !== undefined && { ns }),
      kind: isAddress(group) ? ('address' as const) : by,
      calls_in: 0,
      errors_in: 0,
      calls_out: 0,
      errors_out: 0,
    }
    nodes.set(id, {
      ...known,
      calls_in: known.calls_in + (counts.calls_in ?? 0),
      errors_in: known.errors_in + (counts.errors_in ?? 0),
      calls_out: known.calls_out + (counts.calls_out ?? 0),
      errors_out: known.errors_out + (counts.errors_out ?? 0),
    })
  }
  for (const { src, dst, calls, errors } of edges) {
    add(src, { calls_out: calls, errors_out: errors })
    add(dst, { calls_in: calls, errors_in: errors })
  }
  return [...nodes.values()]
}

function idOf({ group, ns }: GroupName): string {
  return ns === undefined ? group : `${ns}/${group}`
}

/** `10.0.0.1`, or `10.0.0.1:80` of a server. */
function isAddress(name: string): boolean {
  return isIp(name) || isIp(name.slice(0, Math.max(name.lastIndexOf(':'), 0)))
}

/** Changed edges first, then the busiest. */
function weight({ changes = [], calls }: Pick<Edge, 'changes' | 'calls'>): number {
  return (changes.length > 0 ? 1 : 0) + calls / (calls + 1)
}

function sideOf(db: string | undefined, { from, to, seconds }: ProfiledWindow): Output['window'] {
  return {
    ...(db !== undefined && { db }),
    start_at: from === null ? null : new Date(from).toISOString(),
    end_at: to === null ? null : new Date(to).toISOString(),
    seconds,
  }
}
