import { type FlowRow, keyOfFlow } from '../flow-row.ts'
import type { AnswerSources, Input } from '../question.ts'

export interface KeyPage {
  readonly key: string
  readonly of: ReadonlyMap<number, FlowRow>
}

/**
 * The first rows of several sources in the order of their keys. One round is enough: a key among the first `limit` of all is
 * among the first `limit` of each source that has it.
 */
export async function flowKeyPage(sources: AnswerSources, input: Input<'flows'>) {
  const answers = await sources.ask('flows', input)
  const rows = new Map<string, Map<number, FlowRow>>()
  let isWhole = true
  const totals = new Map<number, number>()
  for (const [source, answer] of answers) {
    for (const row of answer.flows) {
      const key = keyOfFlow(row, input.aggregate ?? 'address')
      rows.set(key, (rows.get(key) ?? new Map()).set(source, row))
    }
    isWhole &&= answer.flows.length >= answer.total
    totals.set(source, answer.total)
  }
  const sorted = [...rows].toSorted(([a], [b]) => Buffer.compare(Buffer.from(a), Buffer.from(b)))
  const page: readonly KeyPage[] = sorted.slice(0, input.limit).map(([key, of]) => ({ key, of }))
  return { page, totals, ...(isWhole && { total: rows.size }) }
}
