import { z } from 'zod'
import { count, timeOrNull } from './message-values.ts'
import type { Output, Question } from './question.ts'
import { seenSpan } from './seen-span.ts'
import { byProtocol, KIB } from './terms.ts'

const input = z.object({})
const output = z.object({
  calls: count,
  flows: count,
  /** Unix milliseconds of the oldest and newest call; null before any. */
  oldest_ts: timeOrNull,
  newest_ts: timeOrNull,
  size_bytes: count,
  by_protocol: byProtocol,
})

export type IndexSummary = Readonly<z.output<typeof output>>

declare module './question.ts' {
  interface Questions {
    summary: Asked<typeof input, typeof output>
  }
  interface CallReader {
    summary(): Promise<IndexSummary>
  }
}

export const summary: Question<'summary'> = {
  input,
  output,
  largest: 256 * KIB,
  inTurn: true,

  answer: (index) => index.summary(),

  async merge(sources) {
    return mergeSummaries([...(await sources.ask('summary', {})).values()])
  },

  async narrow(_input, narrowing) {
    const { ask, filter, namespaces } = narrowing
    const within = namespaces && { within: namespaces }
    const [{ count }, times, { total }, { groups }] = await Promise.all([
      ask('count', { kfl: filter('') }),
      seenSpan(narrowing, {}),
      ask('flows', { limit: 1, order: 'bytes', ...within }),
      ask('stats', { kfl: filter(''), group_by: 'proto', limit: 1000 }),
    ])
    return {
      calls: count,
      flows: total,
      oldest_ts: times?.oldest ?? null,
      newest_ts: times?.newest ?? null,
      size_bytes: 0,
      by_protocol: Object.fromEntries(groups.map(({ group, calls }) => [group, calls])),
    }
  },

  redact: (input, { ask }) => ask('summary', input),
}

export function mergeSummaries(summaries: readonly Output<'summary'>[]): Output<'summary'> {
  const times = (name: 'oldest_ts' | 'newest_ts') => summaries.flatMap((summary) => summary[name] ?? [])
  const [oldest, newest] = [times('oldest_ts'), times('newest_ts')]
  const by_protocol: Record<string, number> = {}
  for (const [name, calls] of summaries.flatMap((summary) => Object.entries(summary.by_protocol)))
    by_protocol[name] = (by_protocol[name] ?? 0) + calls
  const total = (name: 'calls' | 'flows' | 'size_bytes') =>
    summaries.reduce((sum, summary) => sum + summary[name], 0)
  return {
    calls: total('calls'),
    flows: total('flows'),
    oldest_ts: oldest.length > 0 ? Math.min(...oldest) : null,
    newest_ts: newest.length > 0 ? Math.max(...newest) : null,
    size_bytes: total('size_bytes'),
    by_protocol,
  }
}
