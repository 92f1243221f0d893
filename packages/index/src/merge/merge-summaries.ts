import type { Output } from './answer-sources.ts'

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
