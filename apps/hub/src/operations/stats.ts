import { askMerged } from '@tapdeck/index'
import { compile } from '@tapdeck/kfl'
import { groupFilter } from '../query/group-filter.ts'
import { SourceSet } from '../query/source-set.ts'
import { sourcesOf } from './calls.ts'
import type { Handler } from './handler.ts'
import { answerNotes } from './live-notes.ts'
import { requireValidWindow } from './require-valid-window.ts'

export const getApiStats: Handler<'get_api_stats'> = async (input, services, { caller }) => {
  const { db, kfl, group_by, limit, start, end } = input
  requireValidWindow(input)
  compile(kfl, services.catalog, services.now())
  const sources = new SourceSet(sourcesOf(db, services, caller))
  const { groups, counted_from_ts, approximate } = await askMerged(sources, 'stats', {
    kfl,
    group_by,
    limit,
    ...(start !== undefined && { start }),
    ...(end !== undefined && { end }),
    // Buckets of a chart follow from its window: calls at one end of it alone would give far too narrow ones.
    ...(group_by === 'time' &&
      start !== undefined &&
      end !== undefined && { span: { from: start, to: end } }),
  })
  const { missing } = sources
  return {
    groups: groups.map((group) =>
      group_by === 'time' ? group : { ...group, kfl: groupFilter(group_by, group) },
    ),
    ...(counted_from_ts !== undefined && { counted_from_at: new Date(counted_from_ts).toISOString() }),
    ...(approximate && { approximate }),
    ...(missing.length > 0 && { missing_nodes: missing }),
    ...answerNotes(db, services, caller, input),
  }
}
