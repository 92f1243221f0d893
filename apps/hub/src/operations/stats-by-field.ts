import { type OperationInput, Problem } from '@tapdeck/api'
import { type Catalog, compile, KflError, textLiteral } from '@tapdeck/kfl'
import { askMerged, type ObservedValue, partsOfGroup, type StatsGroup } from '@tapdeck/questions'
import type { CallSource } from '../query/call-source.ts'
import { allOf, groupFilter } from '../query/group-filter.ts'
import { SourceSet } from '../query/source-set.ts'

type Input = OperationInput<'get_api_stats'>

/** Values that are compared, the most frequent first: each is a question of its own. */
const MAX_VALUES = 12
const MAX_PROTOCOLS = 4
const FIELD = /^([A-Za-z][\w.]*)(?:\[("(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')\])?$/

/** Groups by the values of a field, such as a header with the release, or the issuer of a certificate. */
export interface FieldGroups {
  readonly groups: readonly (StatsGroup & {
    readonly value: string
    readonly proto: string
    readonly kfl: string
  })[]
  /** Unix milliseconds from which on calls were counted, where not all could be read. */
  readonly countedFrom?: number
  /** Nodes whose part is not in it. */
  readonly missing: SourceSet['missing']
}

export async function statsByField(
  { group_by, kfl, limit, start, end, include_unanswered: waits }: Input,
  sources: readonly CallSource[],
  catalog: Catalog,
): Promise<FieldGroups> {
  const [, field = '', key] = FIELD.exec(group_by) ?? []
  requireField(group_by, field, catalog)
  const window = { ...(start !== undefined && { start }), ...(end !== undefined && { end }) }
  const asked = new SourceSet(sources)
  const { values } = await askMerged(asked, 'values', {
    ...{ field, kfl, prefix: '', limit: Math.min(limit, MAX_VALUES) },
    ...(key !== undefined && { key: key.slice(1, -1) }),
    ...window,
  })
  const groups: FieldGroups['groups'][number][] = []
  let countedFrom: number | undefined
  // One after another: together they would hold the event loop.
  for (const { value } of values) {
    const equal = `${group_by} == ${literal(value)}`
    const page = await askMerged(asked, 'stats', {
      ...{ kfl: allOf(kfl, equal), group_by: 'proto', limit: MAX_PROTOCOLS, profile: true },
      ...(waits && { waits }),
      ...window,
    })
    if (page.counted_from_ts !== undefined) countedFrom = Math.max(countedFrom ?? 0, page.counted_from_ts)
    for (const group of page.groups) {
      const proto = partsOfGroup(group)[0]?.group ?? ''
      const selects = allOf(equal, groupFilter('proto', { group: proto }))
      groups.push({ ...group, value: String(value), proto, kfl: selects })
    }
  }
  return { groups, missing: asked.missing, ...(countedFrom !== undefined && { countedFrom }) }
}

function literal(value: ObservedValue['value']): string {
  return typeof value === 'string' ? textLiteral(value) : String(value)
}

/** Throws 400 where it is neither a dimension nor a field. */
function requireField(group_by: string, field: string, catalog: Catalog): void {
  try {
    compile(`has(${group_by})`, catalog, 0)
    if (catalog.find(field) !== undefined) return
  } catch (error) {
    if (!(error instanceof KflError)) throw error
  }
  throw new Problem(
    400,
    'bad_parameter',
    `group_by=${group_by} is neither a dimension nor a field of calls`,
    {
      hint: 'Dimensions are in the description of group_by; search_fields finds fields, such as response.headers["x-release"].',
    },
  )
}
