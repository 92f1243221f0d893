import { type Catalog, type Explanation, explain, type Filter } from '@tapdeck/kfl'
import { callColumns } from './duckdb/call-columns.ts'

/** How a filter runs on an index: what its columns decide, and what each candidate is asked besides. */
export function explainFilter(filter: Filter, catalog: Catalog): Explanation {
  return explain(filter, callColumns('<node>', '<source>', catalog))
}
