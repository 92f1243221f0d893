import { compile } from '@tapdeck/kfl'
import { askAll } from '../query/ask-all.ts'
import type { CallSource } from '../query/call-source.ts'
import { groupFilter } from '../query/group-filter.ts'
import { countedFrom, mergeGroups, type StatsGroup } from '../query/merge-groups.ts'
import { sourcesOf } from './calls.ts'
import { demandWindow } from './demand-window.ts'
import type { Handler } from './handler.ts'
import { liveNotes } from './live-notes.ts'

export const getApiStats: Handler<'get_api_stats'> = async (input, parts, { caller }) => {
  const { db, kfl, group_by, limit, start, end } = input
  demandWindow(input)
  compile(kfl, parts.catalog, parts.now())
  const byTime = group_by === 'time'
  const sources = sourcesOf(db, parts, caller)
  const span = byTime && sources.length > 1 ? await spanOf(sources) : undefined
  const { answers, missing } = await askAll(sources, 'stats', {
    kfl,
    group_by,
    limit,
    ...(span && { span }),
    ...(start !== undefined && { start }),
    ...(end !== undefined && { end }),
  })
  const groups = mergeGroups(
    answers.map(({ output }) => output.groups as StatsGroup[]),
    byTime,
  )
  const { counted_from_ts } = countedFrom(answers.map(({ output }) => output))
  return {
    groups: groups
      .slice(0, limit)
      .map((group) => (byTime ? group : { ...group, kfl: groupFilter(group_by, group) })),
    ...(counted_from_ts !== undefined && { counted_from_at: new Date(counted_from_ts).toISOString() }),
    ...(missing.length > 0 && { missing_nodes: [...missing] }),
    ...(db === undefined && liveNotes(parts, caller, input)),
  }
}

/** The oldest and the newest call of all of them: only buckets that are cut alike add up. */
async function spanOf(sources: readonly CallSource[]) {
  const { answers } = await askAll(sources, 'summary', {})
  const times = answers.flatMap(({ output }) => [output.oldest_ts ?? [], output.newest_ts ?? []].flat())
  return times.length === 0 ? undefined : { from: Math.min(...times), to: Math.max(...times) }
}
