import { gapText } from '@tapdeck/api'
import { outside } from '@tapdeck/recording'
import type { Coverage } from '../cluster/coverage.ts'
import { joinOldest } from '../cluster/join-oldest.ts'
import type { Workers } from '../cluster/workers.ts'
import type { RecordingRecord } from './recording-record.ts'

type Gap = RecordingRecord['gaps'][number]

export interface GapSources {
  readonly coverage: Coverage
  readonly workers: Workers
}

/** What the ring let go of before it was taken is noted when that happens. */
const NOTED = 'overwritten'
const AWAY = 'worker_away'
/** The node may get a worker: then it reports when that began. */
const NO_WORKER = 'no_worker'
const NOT_TAKEN = 'not_taken'
/** These may still be filled, or become exact: they are found again each time. */
const PROVISIONAL: ReadonlySet<string> = new Set([AWAY, NOT_TAKEN])
const MAX_GAPS = 1000

/** Times of a recording up to `until` of which packets are missing: as noted before, and as the nodes report them now. */
export function recordingGaps(
  { starts_ts, nodes, gaps }: RecordingRecord,
  { coverage, workers }: GapSources,
  until: number,
): Gap[] {
  const here = new Set(workers.connected.map(({ node }) => node))
  const reported = coverage
    .recorded({ start: starts_ts, end: until })
    .filter(({ reason }) => reason !== NOTED)
  const fresh = reported.flatMap(({ node, from, to, reason: code, detail: reason }): Gap[] => {
    // Of a node that is away, all is missing that was not taken yet.
    const taken = nodes.find(({ name }) => name === node)?.until_ts ?? starts_ts
    const begin = code === AWAY && !here.has(node) ? Math.min(from, taken) : from
    return [{ node, from_ts: Math.floor(begin), to_ts: Math.ceil(to), reason, code }]
  })
  const known = new Set(coverage.nodes)
  const kept = gaps.flatMap((gap) => {
    const { code = NOTED, node } = gap
    if (code === NOTED || (code !== NO_WORKER && !known.has(node))) return [gap]
    // A node reports a gap only as long as its ring has the time around it.
    return PROVISIONAL.has(code) ? [] : without(gap, fresh)
  })
  return boundedGaps([...kept, ...fresh])
}

/** The gaps of a recording that has ended at `end`, with what was not taken. */
export function finalGaps({ nodes, gaps }: RecordingRecord, end: number): Gap[] {
  const untaken = nodes.flatMap(({ name: node, until_ts }) => {
    const rest = { node, from_ts: Math.floor(until_ts), to_ts: Math.ceil(end) }
    return until_ts < end ? without({ ...rest, reason: gapText(NOT_TAKEN), code: NOT_TAKEN }, gaps) : []
  })
  return boundedGaps([...gaps, ...untaken])
}

/** Of a node with very many gaps, the oldest become one, which stays: too long a gap is reported rather than none. */
export function boundedGaps(gaps: readonly Gap[]): Gap[] {
  const most = Math.max(2, Math.floor(MAX_GAPS / new Set(gaps.map(({ node }) => node)).size))
  return joinOldest(gaps.map(spanOf), most)
    .map(({ from: from_ts, to: to_ts, ...gap }) => ({ ...gap, from_ts, to_ts }))
    .sort((a, b) => a.from_ts - b.from_ts)
}

function without(gap: Gap, others: readonly Gap[]): Gap[] {
  const same = others.filter(({ node }) => node === gap.node).map(spanOf)
  const inOrder = same.sort((a, b) => a.from - b.from)
  return outside(spanOf(gap), inOrder).map(({ from: from_ts, to: to_ts, ...rest }) => ({
    ...rest,
    from_ts,
    to_ts,
  }))
}

function spanOf({ from_ts: from, to_ts: to, ...gap }: Gap) {
  return { ...gap, from, to }
}
