import type { Coverage } from '../cluster/coverage.ts'
import type { Workers } from '../cluster/workers.ts'
import type { RecordingRecord } from './recording-record.ts'

type Gap = RecordingRecord['gaps'][number]

/** What the ring let go of before it was taken is noted when that happens. */
const NOTED = 'overwritten'
const MAX_GAPS = 1000

/** Times of a recording up to `until` of which packets are missing: as noted before, and as the nodes report them now. */
export function recordingGaps(
  { starts_ts, nodes, gaps }: RecordingRecord,
  { coverage, workers }: { readonly coverage: Coverage; readonly workers: Workers },
  until: number,
): Gap[] {
  const here = new Set(workers.connected.map(({ node }) => node))
  const reported = coverage
    .recorded({ start: starts_ts, end: until })
    .filter(({ reason }) => reason !== NOTED)
  const known = new Set(coverage.nodes)
  const kept = gaps.filter(({ code = NOTED, node }) => code === NOTED || !known.has(node))
  const fresh = reported.flatMap(({ node, from, to, reason: code, detail: reason }): Gap[] => {
    // Of a node that is away, all is missing that was not taken yet.
    const taken = nodes.find(({ name }) => name === node)?.until_ts ?? starts_ts
    const begin = code === 'worker_away' && !here.has(node) ? Math.min(from, taken) : from
    return [{ node, from_ts: Math.floor(begin), to_ts: Math.ceil(to), reason, code }]
  })
  return [...kept, ...fresh].sort((a, b) => a.from_ts - b.from_ts).slice(-MAX_GAPS)
}
