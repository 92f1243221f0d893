import { CallRecord } from '@tapdeck/dissect'
import type { Filter } from '@tapdeck/kfl'
import type { TimeWindow } from '../call-index.ts'
import { candidates, type Reading } from './candidates.ts'
import { RowBatch } from './row-batch.ts'

/** Candidates that are read and checked, newest first, for one answer. */
const MOST_CHECKED = 100_000

export const matchSchema = { chunk: 'int32', row: 'int64' } as const

/** The rows that match a filter which needs more than columns, found by reading the candidates that SQL leaves. */
export async function matchingRows(
  reading: Reading,
  filter: Filter,
  where: string,
  window: TimeWindow,
): Promise<readonly RowBatch<typeof matchSchema>[]> {
  const batches: RowBatch<typeof matchSchema>[] = []
  let checked = 0
  for await (const { call, chunk } of candidates(reading, {
    ...window,
    where,
    order: 'newest',
    batch: 512,
  })) {
    if (checked++ === MOST_CHECKED) break
    if (!filter.matches(new CallRecord(call))) continue
    if (batches.at(-1)?.full ?? true) batches.push(new RowBatch(matchSchema))
    const batch = batches[batches.length - 1]
    batch.columns.chunk[batch.count] = chunk.number
    batch.columns.row[batch.count] = call.row
    batch.count++
  }
  return batches
}
