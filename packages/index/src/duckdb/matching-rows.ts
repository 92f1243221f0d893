import { CallRecord } from '@tapdeck/dissect'
import type { Filter } from '@tapdeck/kfl'
import type { TimeWindow } from '@tapdeck/questions'
import { candidates, type Reading } from './candidates.ts'
import { RowBatch } from './row-batch.ts'

/** Candidates that are read and checked, newest first, for one answer; fewer where there is memory for fewer. */
const MAX_CHECKED = 100_000

export const matchSchema = { chunk: 'int32', row: 'int64' } as const

export interface MatchingRows {
  readonly batches: readonly RowBatch<typeof matchSchema>[]
  /** Unix milliseconds of the oldest candidate that was read, where there were more. */
  readonly since?: number
}

/** The rows that match a filter which needs more than columns, found by reading the candidates that SQL leaves. */
export async function matchingRows(
  reading: Reading,
  filter: Filter,
  where: string,
  window: TimeWindow,
): Promise<MatchingRows> {
  const most = Math.min(MAX_CHECKED, reading.engine.mostValues)
  const batches: RowBatch<typeof matchSchema>[] = []
  let checked = 0
  let oldest = 0
  for await (const { call, chunk } of candidates(reading, {
    ...window,
    where,
    order: 'newest',
    batch: 512,
  })) {
    if (checked++ === most) return { batches, since: oldest }
    oldest = Math.floor(call.position.ts / 1000)
    if (!filter.matches(new CallRecord(call))) continue
    if (batches.at(-1)?.full ?? true) batches.push(new RowBatch(matchSchema))
    const batch = batches[batches.length - 1]
    batch.columns.chunk[batch.count] = chunk.number
    batch.columns.row[batch.count] = call.row
    batch.count++
  }
  return { batches }
}
