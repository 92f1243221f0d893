import { type OperationInput, type OperationOutput, Problem } from '@tapdeck/api'
import { compile } from '@tapdeck/kfl'
import { askMerged, keyOfGroup, type StatsGroup } from '@tapdeck/questions'
import { requireCapability } from '../access/access.ts'
import { Slots } from '../cluster/slots.ts'
import type { CallSource } from '../query/call-source.ts'
import {
  bytesOfCall,
  type Change,
  changeKinds,
  comesAndGoes,
  failsMore,
  hasMoreCalls,
  type Side,
  seemsBigger,
  seemsSlower,
  sizesGrew,
  tailGrew,
  thresholds,
} from '../query/compare-groups.ts'
import { type ObservedTime, observedTime, timesOf } from '../query/compared-window.ts'
import { failuresOf } from '../query/failures-of.ts'
import { FAILED, groupFilter } from '../query/group-filter.ts'
import { mergedCalls } from '../query/merged-calls.ts'
import { SourceSet } from '../query/source-set.ts'
import { gapsOf, incompleteOf, lossesOf, noteMissingNodes } from './answer-notes.ts'
import { sourcesOf } from './calls.ts'
import type { Handler } from './handler.ts'
import type { HubServices } from './hub-services.ts'

type Input = OperationInput<'diff_api_calls'>
type Output = OperationOutput<'diff_api_calls'>

const MAX_GROUPS = 1000
const EVIDENCE = 3
/** Groups whose calls are looked at, of those that seem changed, the busiest first. */
const MAX_EXAMINED = 200
/** Groups whose calls are looked at at the same time: other callers wait behind them for the same nodes. */
const EXAMINED_AT_ONCE = 4
/** Groups that are named though they were not judged, the busiest first. */
const MAX_LEFT_OUT = 20

/** A side with all that is asked about it. */
interface Window extends Side, ObservedTime {
  readonly db: string | undefined
  readonly sources: readonly CallSource[]
  readonly start?: number
  readonly end?: number
  readonly estimated: boolean
  /** Unix milliseconds from which on calls were counted, where not all could be read. */
  readonly countedFrom: number | undefined
  readonly missing: readonly { readonly name: string; readonly reason: string }[]
}

interface Found {
  /** Of the group, among those of both windows. */
  readonly key: string
  readonly changes: readonly Change[]
}

export const diffApiCalls: Handler<'diff_api_calls'> = async (input, services, { caller }) => {
  if (input.a_db || input.b_db) requireCapability(caller, ['snapshot:read'])
  checkWindows(input)
  compile(input.kfl, services.catalog, services.now())
  const [a, b] = await Promise.all([
    windowOf(
      input,
      input.a_db,
      input.a_start,
      input.a_end,
      sourcesOf(input.a_db, services, caller),
      services.now(),
    ),
    windowOf(
      input,
      input.b_db,
      input.b_start,
      input.b_end,
      sourcesOf(input.b_db, services, caller),
      services.now(),
    ),
  ])
  const { found, left, seen } = await changesOf(input, a, b)
  found.sort((one, other) => weight(other, a, b) - weight(one, a, b))
  const turns = new Slots(EXAMINED_AT_ONCE)
  const groups = await Promise.all(
    found.slice(0, input.limit).map((one) => turns.use(() => withEvidence(one, input, a, b))),
  )
  const kinds = found.flatMap(({ changes }) => changes.map(({ kind }) => kind))
  const counts = Object.fromEntries(
    changeKinds.map((kind) => [kind, kinds.filter((one) => one === kind).length]),
  ) as Record<Change['kind'], number>
  const notes = notesOf(a, b, input, (side) => isMissing(side, services))
  const incomplete = [a, b].flatMap(({ db, start, end }) =>
    incompleteOf(db, services, caller, { start, end }),
  )
  const gaps = [a, b].flatMap(({ db, start, end }) => gapsOf(db, services, { start, end }))
  return {
    a: sideOf(a),
    b: sideOf(b),
    group_by: input.group_by,
    groups,
    counts: {
      ...counts,
      unchanged: seen - found.length,
      too_few_calls: left.filter(({ why }) => why === 'too_few_calls').length,
    },
    ...(left.length > 0 && { left_out: leftOutOf(left, a, b) }),
    thresholds: { ...thresholds, min_calls: input.min_calls },
    ...(notes.length > 0 && { notes }),
    truncated: found.length > input.limit,
    ...noteMissingNodes([...a.missing, ...b.missing], gaps),
    ...(incomplete.length > 0 && { incomplete: unique(incomplete) }),
  }
}

function checkWindows({ a_db, b_db, a_start, a_end, b_start, b_end }: Input): void {
  for (const [start, end, name] of [
    [a_start, a_end, 'a'],
    [b_start, b_end, 'b'],
  ] as const)
    if (start !== undefined && end !== undefined && start >= end)
      throw new Problem(400, 'invalid_input', `${name}_start is not before ${name}_end`)
  const same = a_db === b_db && a_start === b_start && a_end === b_end
  if (same)
    throw new Problem(400, 'invalid_input', 'A and B are the same', {
      hint: 'Pass two windows (a_start, a_end, b_start, b_end) or two databases (a_db, b_db).',
    })
}

async function windowOf(
  { kfl, group_by }: Input,
  db: string | undefined,
  start: number | undefined,
  end: number | undefined,
  sources: readonly CallSource[],
  now: number,
): Promise<Window> {
  const times = timesOf({ start, end })
  const asked = new SourceSet(sources)
  const [stats, summary] = await Promise.all([
    askMerged(asked, 'stats', { kfl, group_by, limit: MAX_GROUPS, ...times }),
    askMerged(asked, 'summary', {}),
  ])
  const { groups, counted_from_ts, approximate = false } = stats
  const observed = { db, start: counted_from_ts ?? start, end }
  return {
    db,
    sources,
    ...times,
    ...observedTime(observed, summary.oldest_ts, summary.newest_ts, now),
    groups: new Map(groups.map((one) => [keyOfGroup(one), one])),
    cut: approximate || groups.length >= MAX_GROUPS,
    countedFrom: counted_from_ts,
    estimated: groups.some(({ percentiles_are }) => percentiles_are === 'estimate'),
    missing: asked.missing,
  }
}

/** A group that was not judged. */
interface LeftOut {
  readonly key: string
  readonly why: NonNullable<Output['left_out']>[number]['why']
}

async function changesOf(input: Input, a: Window, b: Window) {
  const keys = [...new Set([...a.groups.keys(), ...b.groups.keys()])]
  const found: Found[] = []
  const left: LeftOut[] = []
  const doubtful: string[] = []
  for (const key of keys) {
    const [before, after] = [a.groups.get(key), b.groups.get(key)]
    if (before === undefined || after === undefined) {
      const change = comesAndGoes(key, a, b)
      if (change) found.push({ key, changes: [change] })
      else left.push({ key, why: (before ? b : a).cut ? 'too_many_groups' : 'too_few_calls' })
      continue
    }
    const more = hasMoreCalls(before, after, a, b)
    if (Math.min(before.calls, after.calls) < input.min_calls) {
      if (more) found.push({ key, changes: [more] })
      else left.push({ key, why: 'too_few_calls' })
      continue
    }
    const changes = [failsMore(before, after), more].filter((change) => change !== undefined)
    if (seemsSlower(before, after) || seemsBigger(before, after)) doubtful.push(key)
    else if (changes.length > 0) found.push({ key, changes })
  }
  doubtful.sort((one, other) => callsOf(b, other) - callsOf(b, one))
  for (const key of doubtful.slice(MAX_EXAMINED)) left.push({ key, why: 'too_many_changed' })
  const examine = async (key: string) => {
    const [before, after] = [a.groups.get(key)!, b.groups.get(key)!]
    const changes = [
      failsMore(before, after),
      seemsSlower(before, after) ? await slowerOf(before, after, input, b) : undefined,
      seemsBigger(before, after) ? await biggerOf(before, after, input, a, b) : undefined,
      hasMoreCalls(before, after, a, b),
    ].filter((change) => change !== undefined)
    if (changes.length > 0) found.push({ key, changes })
  }
  const turns = new Slots(EXAMINED_AT_ONCE)
  await Promise.all(doubtful.slice(0, MAX_EXAMINED).map((key) => turns.use(() => examine(key))))
  return { found, left, seen: keys.length }
}

function leftOutOf(left: readonly LeftOut[], a: Window, b: Window): NonNullable<Output['left_out']> {
  const calls = ({ key }: LeftOut) => callsOf(a, key) + callsOf(b, key)
  return left
    .toSorted((one, other) => calls(other) - calls(one) || (one.key < other.key ? -1 : 1))
    .slice(0, MAX_LEFT_OUT)
    .map(({ key, why }) => {
      const { group, ns } = (b.groups.get(key) ?? a.groups.get(key))!
      const ofSides = { a_calls: callsOf(a, key), b_calls: callsOf(b, key) }
      return { group, ...(ns !== undefined && { ns }), why, ...ofSides }
    })
}

async function biggerOf(before: StatsGroup, after: StatsGroup, input: Input, a: Window, b: Window) {
  const larger = `${joined(input.kfl, groupFilter(input.group_by, after))} and ${largerThan(before)}`
  const [ofBefore, ofAfter] = await Promise.all([countOf(a, larger), countOf(b, larger)])
  return sizesGrew(before, after, { before: ofBefore, after: ofAfter })
}

function largerThan(before: StatsGroup): string {
  const size = Math.round(bytesOfCall(before))
  return `(req_size > ${size} or resp_size > ${size})`
}

async function slowerOf(before: StatsGroup, after: StatsGroup, input: Input, b: Window) {
  const mine = joined(input.kfl, groupFilter(input.group_by, after))
  const [above, all] = await Promise.all([
    countOf(b, `${mine} and ${above90(before)}`),
    countOf(b, `${mine} and has(latency)`),
  ])
  return tailGrew(before, after, above, all)
}

async function countOf({ sources, start, end }: Window, kfl: string): Promise<number> {
  const times = { ...(start !== undefined && { start }), ...(end !== undefined && { end }) }
  return (await askMerged(new SourceSet(sources), 'count', { kfl, ...times })).count
}

function above90({ latency_p90_ms = 0 }: StatsGroup): string {
  return `elapsed_time > ${Math.round(latency_p90_ms * 1000)}`
}

async function withEvidence(
  { key, changes }: Found,
  input: Input,
  a: Window,
  b: Window,
): Promise<Output['groups'][number]> {
  const [before, after] = [a.groups.get(key), b.groups.get(key)]
  const { group, ns } = (after ?? before)!
  const kfl = groupFilter(input.group_by, { group, ns })
  const mine = joined(input.kfl, kfl)
  const shown = await Promise.all(
    changes.map(async (change) => {
      const window = change.kind === 'gone' ? a : b
      const narrow = before && narrowing(change.kind, before)
      return { ...change, evidence: await idsOf(window, narrow ? `${mine} and ${narrow}` : mine) }
    }),
  )
  return {
    group,
    ...(ns !== undefined && { ns }),
    kfl,
    changes: shown,
    ...(before && { a: figures(before, a) }),
    ...(after && { b: figures(after, b) }),
  }
}

/** A filter for the calls of a group that show a change. */
function narrowing(kind: Change['kind'], before: StatsGroup): string | undefined {
  switch (kind) {
    case 'failing_more':
      return FAILED
    case 'slower':
      return above90(before)
    case 'bigger':
      return largerThan(before)
    default:
      return undefined
  }
}

async function idsOf({ sources, start, end }: Window, kfl: string): Promise<string[]> {
  const query = { kfl, limit: EVIDENCE, order: 'newest', format: 'compact', start, end } as const
  const { calls } = await mergedCalls(sources, query)
  return calls.map((call) => String((call as { readonly id?: unknown }).id))
}

function joined(kfl: string, more: string): string {
  return kfl.trim() === '' ? more : `(${kfl}) and ${more}`
}

function callsOf({ groups }: Window, key: string): number {
  return groups.get(key)?.calls ?? 0
}

/** The worst first, by kind; among these the surer and the busier. */
function weight({ key, changes }: Found, a: Window, b: Window): number {
  const worst = Math.max(
    ...changes.map(
      ({ kind, significance }) => 2 * changeKinds.indexOf(kind) + (significance === 'strong' ? 1 : 0),
    ),
  )
  const calls = Math.max(callsOf(a, key), callsOf(b, key))
  return worst + calls / (calls + 1)
}

function figures(group: StatsGroup, { seconds }: Window) {
  const { calls, errors, capture_errors, latency_p50_ms, latency_p90_ms, latency_p99_ms } = group
  return {
    calls,
    errors,
    capture_errors,
    rate: seconds === 0 ? 0 : calls / seconds,
    error_rate: calls === 0 ? 0 : failuresOf(group) / calls,
    ...(latency_p50_ms !== undefined && { latency_p50_ms }),
    ...(latency_p90_ms !== undefined && { latency_p90_ms }),
    ...(latency_p99_ms !== undefined && { latency_p99_ms }),
  }
}

function sideOf({ db, from, to, seconds, groups }: Window): Output['a'] {
  const all = [...groups.values()]
  const calls = all.reduce((sum, one) => sum + one.calls, 0)
  return {
    ...(db !== undefined && { db }),
    start_at: from === null ? null : new Date(from).toISOString(),
    end_at: to === null ? null : new Date(to).toISOString(),
    seconds,
    calls,
    errors: all.reduce((sum, one) => sum + one.errors, 0),
    capture_errors: all.reduce((sum, one) => sum + one.capture_errors, 0),
    rate: seconds === 0 ? 0 : calls / seconds,
  }
}

/** Both sides may be of the same time. */
function unique(incomplete: NonNullable<Output['incomplete']>): NonNullable<Output['incomplete']> {
  const known = new Set<string>()
  return incomplete.filter((one) => {
    const text = JSON.stringify(one)
    return !known.has(text) && known.add(text)
  })
}

function isMissing({ db, start, end }: Window, services: HubServices): 'packets' | 'times' | undefined {
  if (gapsOf(db, services, { start, end }).length > 0) return 'times'
  return lossesOf(db, services, { start, end }).length > 0 ? 'packets' : undefined
}

function notesOf(
  a: Window,
  b: Window,
  { min_calls }: Input,
  missing: (side: Window) => 'packets' | 'times' | undefined,
): string[] {
  const notes: string[] = []
  for (const [name, side] of [
    ['A', a],
    ['B', b],
  ] as const) {
    if (side.groups.size === 0)
      // A window that has data of others was quiet, which is an answer; one without any is no window to compare with.
      notes.push(
        side.seconds > 0
          ? `${name} has no matching calls.`
          : `${name} has no matching calls, so there is nothing to compare.`,
      )
    if (side.cut)
      notes.push(
        `${name} has more than ${MAX_GROUPS} groups; groups missing from it are not reported as new or gone.`,
      )
    const missed = missing(side)
    if (missed === 'times')
      notes.push(
        `${name} has times in which nothing was recorded or indexed (see incomplete): calls that seem gone or fewer may be missing for that reason.`,
      )
    if (missed === 'packets')
      notes.push(`Live indexing lost packets in ${name}: calls that seem gone or fewer may have been lost.`)
    if (side.countedFrom !== undefined)
      notes.push(
        `The filter reads payloads, and ${name} has more calls than one query may read: only calls since ${new Date(side.countedFrom).toISOString()} are counted.`,
      )
    if (side.estimated) notes.push(`Percentiles of ${name} are estimates, merged from several nodes.`)
  }
  const short = Math.min(a.seconds, b.seconds)
  const long = Math.max(a.seconds, b.seconds)
  if (short > 0 && long / short > 10)
    notes.push(
      'One window is more than ten times as long as the other; daily patterns may look like changes.',
    )
  if (min_calls < 20) notes.push('min_calls is below 20: percentiles of so few calls are unreliable.')
  return notes
}
