import { isGroupField, type OperationInput, type OperationOutput, shapes } from '@tapdeck/api'
import { compile } from '@tapdeck/kfl'
import { askMerged, dimensionsOf, partsOfGroup, type StatsGroup, type StatsGroupBy } from '@tapdeck/questions'
import type { Caller } from '../access/caller.ts'
import { groupFilter, partsFilter } from '../query/group-filter.ts'
import { SourceSet } from '../query/source-set.ts'
import { answerNotes } from './answer-notes.ts'
import { sourcesOf } from './calls.ts'
import { chosenFields } from './chosen-fields.ts'
import type { Handler } from './handler.ts'
import type { HubServices } from './hub-services.ts'
import { requireValidWindow } from './require-valid-window.ts'
import { statsByField } from './stats-by-field.ts'
import { undecidedOwnership } from './undecided-ownership.ts'

type Input = OperationInput<'get_api_stats'>
type Group = OperationOutput<'get_api_stats'>['groups'][number]

/** Groups that are compared where they are not sorted by calls. */
const MAX_SORTED = 1000
/** Of groups by time and something else. */
const MAX_TIMES = 60

export const getApiStats: Handler<'get_api_stats'> = async (input, services, { caller }) => {
  const { db, kfl, limit, sort, start, end, include_unanswered: waits } = input
  requireValidWindow(input)
  compile(kfl, services.catalog, services.now())
  if (isGroupField(input.group_by)) return groupedByField(input, services, caller)
  // The schema of the operation has checked it.
  const group_by = input.group_by as StatsGroupBy
  const isCombined = group_by.includes(',')
  const asked = sourcesOf(db, services, caller)
  const sources = new SourceSet(asked)
  const { groups, counted_from_ts, approximate } = await askMerged(sources, 'stats', {
    kfl,
    group_by,
    limit: sort === 'calls' || group_by === 'time' ? limit : MAX_SORTED,
    ...((isCombined || waits || sort === 'unanswered') && { profile: true, buckets: MAX_TIMES }),
    ...(waits && { waits }),
    ...(start !== undefined && { start }),
    ...(end !== undefined && { end }),
    // Buckets of a chart follow from its window: calls at one end of it alone would give far too narrow ones.
    ...(group_by === 'time' &&
      start !== undefined &&
      end !== undefined && { span: { from: start, to: end } }),
  })
  const { missing } = sources
  const undecided = await undecidedOwnership(asked, input)
  return {
    groups: chosenFields(
      sorted(groups, group_by, sort)
        .slice(0, limit)
        .map((group) => shown(group, group_by)),
      input.fields,
      Object.keys(shapes.statsPage.shape.groups.element.shape),
    ),
    ...(counted_from_ts !== undefined && { counted_from_at: new Date(counted_from_ts).toISOString() }),
    ...(approximate && { approximate }),
    ...answerNotes(db, services, caller, input, missing),
    ...undecided,
  }
}

/** By the values of one field. */
async function groupedByField(input: Input, services: HubServices, caller: Caller) {
  const { db, group_by, sort, limit, fields } = input
  const sources = sourcesOf(db, services, caller)
  const { groups, countedFrom, missing } = await statsByField(input, sources, services.catalog)
  const by = (group: StatsGroup) => group[sort] ?? 0
  const rows = groups
    .toSorted((a, b) => by(b) - by(a))
    .slice(0, limit)
    .map(({ value, proto, kfl, ...group }) => ({
      ...figuresOf(group),
      group: `${value}, ${proto}`,
      parts: [
        { by: group_by, group: value },
        { by: 'proto', group: proto },
      ],
      kfl,
    }))
  return {
    groups: chosenFields(rows, fields, Object.keys(shapes.statsPage.shape.groups.element.shape)),
    ...(countedFrom !== undefined && { counted_from_at: new Date(countedFrom).toISOString() }),
    ...answerNotes(db, services, caller, input, missing),
    ...(await undecidedOwnership(sources, input)),
  }
}

function sorted(groups: readonly StatsGroup[], by: StatsGroupBy, sort: Input['sort']): readonly StatsGroup[] {
  // Stable: groups that are equal stay in the order of their calls.
  if (sort !== 'calls' && by !== 'time') return groups.toSorted((a, b) => (b[sort] ?? 0) - (a[sort] ?? 0))
  if (!by.startsWith('time,')) return groups
  return groups.toSorted((a, b) => timeOf(a) - timeOf(b))
}

function timeOf(group: StatsGroup): number {
  return Number(partsOfGroup(group)[0]?.group)
}

function shown(group: StatsGroup, group_by: StatsGroupBy): Group {
  const figures = figuresOf(group)
  const dimensions = dimensionsOf(group_by)
  const [only] = dimensions
  if (dimensions.length === 1)
    return only === undefined || only === 'time' ? figures : { ...figures, kfl: groupFilter(only, group) }
  const parts = partsOfGroup(group)
  const named = dimensions.map((by, at) => ({ by, ...nameOf(by, parts[at]) }))
  return {
    ...figures,
    group: named.map((part) => part.group).join(', '),
    parts: named,
    kfl: partsFilter(dimensions, parts),
  }
}

/** Of a profile, what an answer has. */
function figuresOf(group: StatsGroup) {
  const { first_ts: _first, last_ts: _last, req_bytes: _req, resp_bytes: _resp, ...rest } = group
  const { waited_ms = 0, waited_max_ms = 0, ...figures } = rest
  const { unanswered = 0 } = figures
  return unanswered === 0 ? figures : { ...figures, waited_avg_ms: waited_ms / unanswered, waited_max_ms }
}

function nameOf(by: string, part: { readonly group: string; readonly ns?: string } = { group: '' }) {
  return by === 'time' ? { group: new Date(Number(part.group)).toISOString() } : part
}
