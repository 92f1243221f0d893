import { addDistributions, continuousQuantile, type Distribution } from '../distribution.ts'
import { handshakePercentiles } from '../handshake-counts.ts'
import type { AnswerSources, Input, Output } from '../question.ts'
import { type GroupName, keyOfGroup, type StatsGroup } from '../stats-group.ts'
import { mergeSummaries } from '../summary.ts'
import { topRows } from './top-rows.ts'

type Stats = Output<'stats'>

/** The groups of several sources as one index of all calls gives them: which are first, their counts, and percentiles. */
export async function mergeStats(sources: AnswerSources, input: Input<'stats'>): Promise<Stats> {
  // Rates and time buckets follow from the span of the data: of all of it, where the caller gives no other.
  const { oldest_ts, newest_ts } = mergeSummaries([...(await sources.ask('summary', {})).values()])
  const span = oldest_ts === null || newest_ts === null ? {} : { span: { from: oldest_ts, to: newest_ts } }
  const asked = { ...span, ...input }
  let countedFrom: number | undefined
  const ask = async (more: Partial<Input<'stats'>>, at?: readonly number[]) => {
    const answers = await sources.ask('stats', { ...asked, ...more }, at)
    for (const { counted_from_ts: from } of answers.values())
      if (from !== undefined) countedFrom = Math.max(from, countedFrom ?? from)
    return new Map([...answers].map(([source, { groups }]) => [source, groups]))
  }
  const byTime = input.group_by === 'time'
  const { rows, approximate } = byTime
    ? { rows: byKey(await ask({ distributions: true })), approximate: false }
    : await topRows<StatsGroup>(
        {
          sources: sources.count,
          combine: 'sum',
          key: keyOfGroup,
          score: ({ calls }) => calls,
          ask: ({ limit, atLeast, only }, at) =>
            ask(
              {
                limit,
                ...(atLeast !== undefined && { at_least: Math.ceil(atLeast) }),
                ...(only && { only: only.map(nameOf) }),
              },
              at,
            ),
        },
        input.limit,
      )
  const first = [...rows.values()]
    .map((of) => ({ of, merged: mergeGroup([...of.values()]) }))
    .sort((a, b) => inOrder(a.merged, b.merged, byTime))
    .slice(0, input.limit)
  const shared = byTime ? [] : first.filter(({ of }) => of.size > 1)
  const groups =
    shared.length === 0 ? first.map(({ merged }) => merged) : await withPercentiles(first, shared)
  return {
    groups,
    ...(countedFrom !== undefined && { counted_from_ts: countedFrom }),
    ...(approximate && { approximate: true as const }),
  }

  /** A second round: the latencies of groups that several sources have. */
  async function withPercentiles(all: typeof first, several: typeof first): Promise<StatsGroup[]> {
    const places = [...new Set(several.flatMap(({ of }) => [...of.keys()]))]
    const only = several.map(({ merged }) => nameOf(merged))
    const carried = byKey(await ask({ only, limit: only.length, distributions: true }, places))
    return all.map(({ of, merged }) => {
      const known = of.size > 1 ? carried.get(keyOfGroup(merged)) : undefined
      // Calls that came in between would not fit the counts: only percentiles are taken.
      return known ? { ...counts(merged), ...percentilesOf([...known.values()]) } : merged
    })
  }
}

function nameOf({ group, ns }: GroupName): GroupName {
  return { group, ...(ns !== undefined && { ns }) }
}

function counts({ calls, errors, capture_errors, rate, bytes, ...rest }: StatsGroup): StatsGroup {
  const { first_ts, last_ts, req_bytes, resp_bytes, unanswered, waited_ms, waited_max_ms } = rest
  const waits = { unanswered, waited_ms, waited_max_ms }
  const profile = first_ts === undefined ? {} : { first_ts, last_ts, req_bytes, resp_bytes, ...waits }
  return { ...nameOf(rest), calls, errors, capture_errors, rate, bytes, ...profile } as StatsGroup
}

function byKey(answers: ReadonlyMap<number, readonly StatsGroup[]>): Map<string, Map<number, StatsGroup>> {
  const found = new Map<string, Map<number, StatsGroup>>()
  for (const [source, groups] of answers)
    for (const group of groups) {
      const key = keyOfGroup(group)
      found.set(key, (found.get(key) ?? new Map<number, StatsGroup>()).set(source, group))
    }
  return found
}

function inOrder(a: StatsGroup, b: StatsGroup, byTime: boolean): number {
  const byName = keyOfGroup(a) < keyOfGroup(b) ? -1 : 1
  return byTime ? byName : b.calls - a.calls || byName
}

function mergeGroup(groups: readonly StatsGroup[]): StatsGroup {
  const [only] = groups
  if (groups.length === 1 && only) {
    const { latencies: _latencies, handshakes: _handshakes, ...group } = only
    return group
  }
  const total = (name: 'calls' | 'errors' | 'capture_errors' | 'rate' | 'bytes') =>
    groups.reduce((sum, group) => sum + group[name], 0)
  return {
    ...nameOf(groups[0]!),
    calls: total('calls'),
    errors: total('errors'),
    capture_errors: total('capture_errors'),
    rate: total('rate'),
    bytes: total('bytes'),
    ...mergeProfiles(groups),
    ...percentilesOf(groups),
  }
}

function mergeProfiles(groups: readonly StatsGroup[]): Partial<StatsGroup> {
  const having = groups.filter(({ first_ts }) => first_ts !== undefined)
  if (having.length === 0) return {}
  const total = (name: 'req_bytes' | 'resp_bytes' | 'unanswered' | 'waited_ms') =>
    having.reduce((sum, group) => sum + (group[name] ?? 0), 0)
  return {
    first_ts: Math.min(...having.map(({ first_ts = 0 }) => first_ts)),
    last_ts: Math.max(...having.map(({ last_ts = 0 }) => last_ts)),
    req_bytes: total('req_bytes'),
    resp_bytes: total('resp_bytes'),
    unanswered: total('unanswered'),
    waited_ms: total('waited_ms'),
    waited_max_ms: Math.max(...having.map(({ waited_max_ms = 0 }) => waited_max_ms)),
  }
}

const latencyNames = ['latency_p50_ms', 'latency_p90_ms', 'latency_p95_ms', 'latency_p99_ms'] as const
const handshakeNames = ['tcp_handshake_p50_us', 'tcp_handshake_p90_us', 'tcp_handshake_p99_us'] as const

function percentilesOf(groups: readonly StatsGroup[]): Partial<StatsGroup> {
  const latencies = groups.flatMap((group) => group.latencies ?? [])
  const handshakes = groups.flatMap((group) => group.handshakes ?? [])
  if (latencies.length < groups.length || handshakes.length < groups.length) return weighted(groups)
  const [all, connections] = [addDistributions(latencies), addDistributions(handshakes)]
  return {
    ...latencyPercentiles(all),
    ...handshakePercentiles(connections),
    ...((all.rounded || connections.rounded) && { percentiles_are: 'estimate' as const }),
  }
}

function latencyPercentiles(latencies: Distribution): Partial<StatsGroup> {
  const values = [0.5, 0.9, 0.95, 0.99].map((part) => continuousQuantile(latencies, part))
  // To the nanosecond, as one index gives them.
  return Object.fromEntries(
    values.flatMap((us, i) => (us === undefined ? [] : [[latencyNames[i], Math.round(us * 1000) / 1e6]])),
  )
}

/** Workers of earlier versions send no distributions: the percentiles are weighted by calls, which is an estimate. */
function weighted(groups: readonly StatsGroup[]): Partial<StatsGroup> {
  const means = [...latencyNames, ...handshakeNames].flatMap((name) => {
    const having = groups.filter((group) => group[name] !== undefined)
    const weight = having.reduce((sum, { calls }) => sum + calls, 0)
    if (weight === 0) return []
    const mean = having.reduce((sum, group) => sum + (group[name] ?? 0) * group.calls, 0) / weight
    return [[name, name.endsWith('_us') ? Math.round(mean) : mean]]
  })
  return means.length === 0 ? {} : { ...Object.fromEntries(means), percentiles_are: 'estimate' as const }
}
