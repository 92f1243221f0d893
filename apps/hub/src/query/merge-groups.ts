import type { shapes } from '@tapdeck/api'
import type { z } from 'zod'

export type StatsGroup = z.input<typeof shapes.statsPage>['groups'][number]

const percentiles = [
  'latency_p50_ms',
  'latency_p90_ms',
  'latency_p99_ms',
  'tcp_handshake_p50_us',
  'tcp_handshake_p90_us',
  'tcp_handshake_p99_us',
] as const

/** What tells a group from others: names are of a namespace. */
export function keyOfGroup({ group, ns }: Pick<StatsGroup, 'group' | 'ns'>): string {
  return ns === undefined ? group : `${group}\u0000${ns}`
}

/** Calls that failed; not those that the capture has only a half of. */
export function failuresOf({
  errors,
  capture_errors,
}: Pick<StatsGroup, 'errors' | 'capture_errors'>): number {
  return errors - capture_errors
}

/**
 * Groups of several nodes as one list, most calls first, or in order of time. Counts add up; percentiles of several nodes are weighed by
 * their calls, which is an estimate and says so; they are exact where one node has the whole group.
 */
export function mergeGroups(lists: readonly (readonly StatsGroup[])[], byTime = false): StatsGroup[] {
  if (lists.length === 1) return lists[0]!.map(counted)
  const byName = new Map<string, StatsGroup[]>()
  for (const group of lists.flat().map(counted)) {
    const key = keyOfGroup(group)
    byName.set(key, [...(byName.get(key) ?? []), group])
  }
  const byGroup = (a: StatsGroup, b: StatsGroup) => (keyOfGroup(a) < keyOfGroup(b) ? -1 : 1)
  return [...byName.values()]
    .map(merge)
    .sort((a, b) => (byTime ? byGroup(a, b) : b.calls - a.calls || byGroup(a, b)))
}

/** From when on all of them counted their calls; empty where none left any out. */
export function countedFrom(answers: readonly { readonly counted_from_ts?: number }[]): {
  readonly counted_from_ts?: number
} {
  const times = answers.flatMap(({ counted_from_ts }) => counted_from_ts ?? [])
  return times.length === 0 ? {} : { counted_from_ts: Math.max(...times) }
}

/** A worker of a build before does not count them apart. */
function counted(group: Omit<StatsGroup, 'capture_errors'> & Partial<StatsGroup>): StatsGroup {
  return { ...group, capture_errors: group.capture_errors ?? 0 }
}

function merge(groups: readonly StatsGroup[]): StatsGroup {
  if (groups.length === 1) return groups[0]!
  const { group, ns } = groups[0]!
  const none = { calls: 0, errors: 0, capture_errors: 0, rate: 0, bytes: 0 }
  const merged: StatsGroup = { group, ...(ns !== undefined && { ns }), ...none }
  for (const { calls, errors, capture_errors, rate, bytes } of groups) {
    merged.calls += calls
    merged.errors += errors
    merged.capture_errors += capture_errors
    merged.rate += rate
    merged.bytes += bytes
  }
  for (const name of percentiles) {
    const having = groups.filter((group) => group[name] !== undefined)
    if (having.length > 1) merged.percentiles_are = 'estimate'
    const weight = having.reduce((sum, { calls }) => sum + calls, 0)
    if (weight === 0) continue
    const mean = having.reduce((sum, group) => sum + group[name]! * group.calls, 0) / weight
    merged[name] = name.endsWith('_us') ? Math.round(mean) : mean
  }
  return merged
}
