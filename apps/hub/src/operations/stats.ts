import { compile } from '@tapdeck/kfl'
import { askAll } from '../query/ask-all.ts'
import { groupFilter } from '../query/group-filter.ts'
import { mergeGroups, type StatsGroup } from '../query/merge-groups.ts'
import { sourcesOf } from './calls.ts'
import { demandWindow } from './demand-window.ts'
import type { Handler } from './handler.ts'

export const getApiStats: Handler<'get_api_stats'> = async (input, parts, { caller }) => {
  const { db, kfl, group_by, limit, start, end } = input
  demandWindow(input)
  compile(kfl, parts.catalog, parts.now())
  const { answers, missing } = await askAll(sourcesOf(db, parts, caller), 'stats', {
    kfl,
    group_by,
    limit,
    ...(start !== undefined && { start }),
    ...(end !== undefined && { end }),
  })
  const groups = mergeGroups(answers.map(({ output }) => output.groups as StatsGroup[]))
  return {
    groups: groups
      .slice(0, limit)
      .map((group) => (group_by === 'time' ? group : { ...group, kfl: groupFilter(group_by, group.group) })),
    ...(missing.length > 0 && { missing_nodes: [...missing] }),
    ...(db === undefined && { indexing: parts.switchboard.indexing }),
  }
}
