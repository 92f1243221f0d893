import { type StatsDimension, type StatsGroupBy, statsDimensions } from './stats-dimensions.ts'
import type { GroupName } from './stats-group.ts'

/** Separates the name of a group and its namespace: grouping by one text is faster than by two. */
export const NS_SEPARATOR = '\u001f'
/** Separates the names of a group that has several dimensions. */
export const PART_SEPARATOR = '\u001e'

/** Throws `RangeError` on a name that is no dimension, or given twice. */
export function dimensionsOf(by: StatsGroupBy): readonly StatsDimension[] {
  const names = by.split(',')
  const dimensions = names.flatMap((name) => statsDimensions.find((one) => one === name) ?? [])
  if (dimensions.length < names.length || new Set(names).size < names.length)
    throw new RangeError(`group_by=${by.slice(0, 200)}: different dimensions`)
  return dimensions
}

/** The name in each dimension of a group of several. A time is in Unix milliseconds. */
export function partsOfGroup({ group }: GroupName): GroupName[] {
  return group.split(PART_SEPARATOR).map((part) => {
    const at = part.lastIndexOf(NS_SEPARATOR)
    return at < 0 ? { group: part } : { group: part.slice(0, at), ns: part.slice(at + 1) }
  })
}

/** The group that has these names. */
export function groupOfParts(parts: readonly GroupName[]): string {
  return parts
    .map(({ group, ns }) => (ns === undefined ? group : `${group}${NS_SEPARATOR}${ns}`))
    .join(PART_SEPARATOR)
}
