import { z } from 'zod'
import { mergeStats } from './merge/merge-stats.ts'
import { count, list, time } from './message-values.ts'
import type { Compiled, Question } from './question.ts'
import { seenSpan } from './seen-span.ts'
import type { StatsGroupBy } from './stats-dimensions.ts'
import { groupRow } from './stats-group.ts'
import { approximate, kfl, limit, MAX_ROWS, MIB, owners, times } from './terms.ts'

const input = z.object({
  kfl,
  group_by: z.custom<StatsGroupBy>((given) => typeof given === 'string'),
  limit,
  ...times,
  /**
   * What rates and time buckets follow from, in Unix milliseconds: the oldest and newest call of all indexes whose groups are
   * put together, or the window of a chart; absent: the calls of this index.
   */
  span: z.object({ from: time, to: time }).exactOptional(),
  /** Only groups with at least so many calls; only these groups. Both serve the merge of several nodes. */
  at_least: count.exactOptional(),
  only: list(z.object({ group: z.string(), ns: z.string().exactOptional() }), MAX_ROWS).exactOptional(),
  /** Each group carries its latencies, so that percentiles of several indexes can be computed. */
  distributions: z.boolean().exactOptional(),
  /** Of several dimensions with `time`, into how many parts at most the time is cut. */
  buckets: count.exactOptional(),
  /**
   * With `first_ts`, `last_ts`, sizes and unanswered calls. Percentiles are estimates (within 2 %), so that the number of
   * calls is not bounded; there are none of handshakes.
   */
  profile: z.boolean().exactOptional(),
  /** Latency percentiles count a call without a response by the time that its client waited. */
  waits: z.boolean().exactOptional(),
  owners,
})
const output = z.object({
  groups: list(groupRow, MAX_ROWS),
  /** Unix milliseconds from which on calls were counted, where payloads decide and there were more than could be read. */
  counted_from_ts: time.exactOptional(),
  approximate,
})

export type StatsQuery = Compiled<z.output<typeof input>>

export type StatsPage = Readonly<z.output<typeof output>>

declare module './question.ts' {
  interface Questions {
    stats: Asked<typeof input, typeof output>
  }
  interface CallReader {
    stats(query: StatsQuery): Promise<StatsPage>
  }
}

export const stats: Question<'stats'> = {
  input,
  output,
  // Up to 10,000 rows: groups may carry their latencies.
  largest: 32 * MIB,
  inTurn: true,
  isOwned: true,

  answer: (index, { kfl, owners, ...query }, { filter }) =>
    index.stats({ ...query, filter: filter(kfl, owners) }),

  merge: mergeStats,

  /** Rates and time buckets follow from the span of the data: of what is seen, not of what else there is. */
  async narrow(input, narrowing) {
    const { start, end } = input
    const { ask, filter } = narrowing
    // Computed from the answers of several such sources.
    if (input.span) return ask('stats', { ...input, kfl: filter(input.kfl) })
    const seen = await seenSpan(narrowing, {
      ...(start !== undefined && { start }),
      ...(end !== undefined && { end }),
    })
    if (seen === undefined) return { groups: [] }
    return ask('stats', {
      ...input,
      kfl: filter(input.kfl),
      start: Math.max(start ?? seen.oldest, Math.floor(seen.oldest)),
      end: Math.min(end ?? seen.newest, Math.ceil(seen.newest)),
    })
  },

  async redact(input, { ask, allow, names }) {
    allow(input.kfl)
    const only = input.only?.flatMap(({ group, ...rest }) =>
      names.originals(group).map((original) => ({ ...rest, group: original })),
    )
    const { groups, ...page } = await ask('stats', { ...input, ...(only && { only }) })
    // Only names of several dimensions are free of separators that came from the traffic.
    const redacted = (group: string) =>
      input.group_by.includes(',') ? names.redactParts(group) : names.redact(group)
    return { ...page, groups: groups.map((one) => ({ ...one, group: redacted(one.group) })) }
  },
}
