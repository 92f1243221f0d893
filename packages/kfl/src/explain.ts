import type { Filter } from './filter.ts'
import { toSql } from './sql.ts'
import type { SqlColumns } from './sql-columns.ts'

/** What an index does with a part of a filter, and what is left to be asked of each candidate. */
export interface ExplainedPart {
  readonly text: string
  readonly where: string
  readonly exact: boolean
  readonly paths: readonly string[]
}

export interface Explanation extends ExplainedPart {
  readonly parts: readonly ExplainedPart[]
}

/** How a filter runs on an index with these columns. */
export function explain(filter: Filter, columns: SqlColumns): Explanation {
  return { ...part(filter, columns), parts: filter.parts.map((one) => part(one, columns)) }
}

function part(filter: Filter, columns: SqlColumns): ExplainedPart {
  return { text: filter.text, ...toSql(filter, columns), paths: filter.paths }
}
