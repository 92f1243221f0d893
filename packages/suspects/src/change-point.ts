import { hasRisen } from './statistics.ts'

/** What happened between two parties in one slice of time. */
export interface Slice {
  /** Unix milliseconds of its beginning. */
  readonly at: number
  readonly calls: number
  readonly failures: number
  readonly p50?: number
  readonly p90?: number
}

/** A part of the time at each end that is no window of its own. */
const MARGIN = 0.1
const MIN_CALLS = 20
const TIMES = 1.6
const RISE_MS = 3
/** The slowest calls vary more in healthy traffic. */
const P90_TIMES = 3
const P90_RISE_MS = 20
/** Times as many calls, and as large a share of all calls: a pair that does more than the load explains. */
const MORE_CALLS = 2
/** Spreads between the levels before and after. */
const SURE_T = 4
/** The same for rates, which vary more than latencies in healthy traffic, and the slices that each level takes. */
const SURE_RATE_T = 5
const MIN_SLICES = 3

/**
 * When things changed for the first time: the earliest slice at which some pair began to fail more or to be slower, beyond chance;
 * where none did, to make more calls than the load explains. All series have the same slices. Undefined where nothing changed: then there is no time before.
 */
export function changePoint(
  series: readonly (readonly Slice[])[],
  slices: readonly number[],
): number | undefined {
  const margin = Math.max(1, Math.floor(slices.length * MARGIN))
  const load = new Map<number, number>()
  for (const { at, calls } of series.flat()) load.set(at, (load.get(at) ?? 0) + calls)
  const found = series.flatMap((one) => changeOf(one, slices, margin, load) ?? [])
  // A client that begins its work is a change, too, but none that users notice.
  const losses = found.filter(({ isLoss }) => isLoss)
  const first = (losses.length > 0 ? losses : found).map(({ at }) => at)
  return first.length === 0 ? undefined : Math.min(...first)
}

interface Change {
  readonly at: number
  readonly strength: number
  /** Calls fail or are slower. */
  readonly isLoss: boolean
}

function changeOf(
  series: readonly Slice[],
  slices: readonly number[],
  margin: number,
  load: ReadonlyMap<number, number>,
): Change | undefined {
  let best: Change | undefined
  for (let cut = margin; cut <= slices.length - margin; cut++) {
    const at = slices[cut]
    if (at === undefined) continue
    const [before, after] = [series.filter((one) => one.at < at), series.filter((one) => one.at >= at)]
    const loss = Math.max(
      failureStrength(before, after),
      latencyStrength(before, after, 'p50'),
      latencyStrength(before, after, 'p90'),
    )
    const strength = loss > 0 ? loss : callsStrength([before, cut], [after, slices.length - cut], load)
    const change = { at, strength, isLoss: loss > 0 }
    if (strength > 0 && (best === undefined || isStronger(change, best))) best = change
  }
  return best
}

function isStronger(one: Change, other: Change): boolean {
  return one.isLoss === other.isLoss ? one.strength > other.strength : one.isLoss
}

function failureStrength(before: readonly Slice[], after: readonly Slice[]): number {
  const [calls, callsAfter] = [total(before, 'calls'), total(after, 'calls')]
  const [failures, failuresAfter] = [total(before, 'failures'), total(after, 'failures')]
  if (!hasRisen(failures, calls, failuresAfter, callsAfter)) return 0
  return (failuresAfter / callsAfter - failures / calls) * Math.sqrt(Math.min(calls, callsAfter))
}

/** Of logarithms: latencies differ by factors. */
function latencyStrength(
  before: readonly Slice[],
  after: readonly Slice[],
  percentile: 'p50' | 'p90',
): number {
  if (Math.min(total(before, 'calls'), total(after, 'calls')) < MIN_CALLS) return 0
  const [was, is] = [logs(before, percentile), logs(after, percentile)]
  if (Math.min(was.length, is.length) < MIN_SLICES) return 0
  const [low, high] = [mean(was), mean(is)]
  const [times, rise] = percentile === 'p50' ? [TIMES, RISE_MS] : [P90_TIMES, P90_RISE_MS]
  if (high - low < Math.log(times) || Math.exp(high) - Math.exp(low) < rise) return 0
  const t = (high - low) / standardError([was, low], [is, high])
  return t >= SURE_T ? t : 0
}

/** Calls of a pair in some slices, and how many slices there are: those without calls are in no list. */
type Counted = readonly [calls: readonly Slice[], slices: number]

/** Of logarithms of the share that the pair has of all calls. */
function callsStrength(before: Counted, after: Counted, load: ReadonlyMap<number, number>): number {
  if (Math.min(total(before[0], 'calls'), total(after[0], 'calls')) < MIN_CALLS) return 0
  const rate = ([slices, count]: Counted) => total(slices, 'calls') / count
  if (rate(after) < MORE_CALLS * rate(before)) return 0
  const shares = ([slices]: Counted) =>
    slices.map(({ at, calls }) => Math.log(calls / (load.get(at) ?? calls)))
  const [was, is] = [shares(before), shares(after)]
  if (Math.min(was.length, is.length) < MIN_SLICES) return 0
  const [low, high] = [mean(was), mean(is)]
  if (high - low < Math.log(MORE_CALLS)) return 0
  const t = (high - low) / standardError([was, low], [is, high])
  return t >= SURE_RATE_T ? t : 0
}

type Level = readonly [values: readonly number[], mean: number]

/** Traffic comes in bursts: a few slices that happen to be alike prove no steady level. So both sides give the spread. */
function standardError([was, low]: Level, [is, high]: Level): number {
  const pooled =
    (variance(was, low) * (was.length - 1) + variance(is, high) * (is.length - 1)) /
    (was.length + is.length - 2)
  return Math.max(Math.sqrt(pooled * (1 / was.length + 1 / is.length)), 0.02)
}

function logs(slices: readonly Slice[], percentile: 'p50' | 'p90'): number[] {
  return slices.flatMap((slice) => {
    const value = slice[percentile]
    return value === undefined ? [] : Math.log(Math.max(value, 0.1))
  })
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0) / values.length
}

function variance(values: readonly number[], middle: number): number {
  return values.reduce((sum, value) => sum + (value - middle) ** 2, 0) / Math.max(values.length - 1, 1)
}

function total(slices: readonly Slice[], name: 'calls' | 'failures'): number {
  return slices.reduce((sum, slice) => sum + slice[name], 0)
}
