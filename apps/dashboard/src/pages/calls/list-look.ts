import { type ChosenColumn, firstChoice, readChoice } from '../../columns/column-choice.ts'
import { type ColorRule, type RuleColor, ruleColors } from './row-extras.ts'

/** What rows can be grouped by. */
export const rowGroupings = ['none', 'connection', 'trace'] as const
export type RowGrouping = (typeof rowGroupings)[number]

/** How the list of calls looks in this browser. */
export interface ListLook {
  readonly columns: readonly ChosenColumn[]
  readonly grouping: RowGrouping
  readonly rules: readonly ColorRule[]
}

export const MAX_RULES = 6
const MAX_FILTER_CHARS = 2000

export const plainLook: ListLook = { columns: firstChoice, grouping: 'none', rules: [] }

/** What a browser has stored, which may be anything. */
export function readListLook(value: unknown): ListLook | undefined {
  if (typeof value !== 'object' || value === null) return undefined
  const { columns, grouping, rules } = value as Readonly<Record<string, unknown>>
  return {
    columns: readChoice(columns) ?? plainLook.columns,
    grouping: rowGroupings.find((one) => one === grouping) ?? 'none',
    rules: Array.isArray(rules) ? rules.flatMap(readRule).slice(0, MAX_RULES) : [],
  }
}

export function readColor(value: unknown): RuleColor | undefined {
  return ruleColors.find((one) => one === value)
}

function readRule(value: unknown): readonly ColorRule[] {
  if (typeof value !== 'object' || value === null) return []
  const { kfl, color: name } = value as Readonly<Record<string, unknown>>
  const color = readColor(name)
  if (typeof kfl !== 'string' || kfl === '' || kfl.length > MAX_FILTER_CHARS || !color) return []
  return [{ kfl, color }]
}
