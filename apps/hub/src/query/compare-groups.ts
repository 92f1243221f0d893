import type { StatsGroup } from '@tapdeck/questions'
import { failuresOf } from './failures-of.ts'

/** What a change must reach to be reported. */
export const thresholds = {
  /** Calls of the group that the other window should have had, at the same rate, where it has none. */
  expected_calls: 10,
  /** Error rate in B above that in A, as a part of 1, and how many times that in A. */
  error_rate_rise: 0.01,
  error_rate_times: 1.5,
  /** p50 or p90 of B, as times that of A, and by how many milliseconds. */
  latency_times: 1.5,
  latency_rise_ms: 2,
  /** Rate of B, as times that of A, and by how many calls. */
  rate_times: 2,
  calls_rise: 20,
  /** Bytes of a call in B, as times those in A, and by how many. */
  bytes_times: 2,
  bytes_rise: 1000,
  /** Standard deviations above what chance explains. */
  likely_z: 3,
  strong_z: 4,
} as const

export type Significance = 'strong' | 'likely'

/** The worse, the later. */
export const changeKinds = ['new', 'gone', 'more_calls', 'bigger', 'slower', 'failing_more'] as const
export type ChangeKind = (typeof changeKinds)[number]

export interface Change<Kind extends ChangeKind = ChangeKind> {
  readonly kind: Kind
  readonly significance: Significance
  readonly detail: string
}

/** One side of a comparison. */
export interface Side {
  readonly seconds: number
  readonly groups: ReadonlyMap<string, StatsGroup>
  /** Not all groups are there: what is missing here may exist. */
  readonly cut: boolean
}

/** How certain a deviation is; undefined: not enough to speak of. */
function significanceOf(z: number): Significance | undefined {
  if (!(z >= thresholds.likely_z)) return undefined
  return z >= thresholds.strong_z ? 'strong' : 'likely'
}

/**
 * Appeared or vanished: none in one window, though at the other's rate it should have had some. Calls that come at
 * random would leave it empty with a chance of e^-expected: 10 expected make that 1 in 22,000.
 */
export function comesAndGoes(key: string, a: Side, b: Side): Change<'new' | 'gone'> | undefined {
  const [before, after] = [a.groups.get(key), b.groups.get(key)]
  const expected = thresholds.expected_calls
  if (a.seconds === 0 || b.seconds === 0) return undefined
  if (after && !before && !a.cut) {
    const missed = (after.calls / b.seconds) * a.seconds
    if (missed < expected) return undefined
    const detail = `${after.calls} calls, none before (expected ${Math.round(missed)} at this rate)`
    return { kind: 'new', significance: missed >= 2 * expected ? 'strong' : 'likely', detail }
  }
  if (before && !after && !b.cut) {
    const missed = (before.calls / a.seconds) * b.seconds
    if (missed < expected) return undefined
    const detail = `no calls (expected ${Math.round(missed)} at the previous rate)`
    return { kind: 'gone', significance: missed >= 2 * expected ? 'strong' : 'likely', detail }
  }
  return undefined
}

/** A larger part of the calls fails: a test of two proportions, with both pooled as what chance would give. */
export function failsMore(before: StatsGroup, after: StatsGroup): Change<'failing_more'> | undefined {
  const failures = failuresOf(after)
  const [was, is] = [failuresOf(before) / before.calls, failures / after.calls]
  if (is - was < thresholds.error_rate_rise || is < was * thresholds.error_rate_times) return undefined
  const pooled = (failuresOf(before) + failures) / (before.calls + after.calls)
  const spread = proportionSpread(failuresOf(before), before.calls, failures, after.calls)
  // With fewer than five expected failures the normal curve is no good stand-in.
  if (pooled * Math.min(before.calls, after.calls) < 5 && failures < 10) return undefined
  const significance = significanceOf(spread === 0 ? Number.POSITIVE_INFINITY : (is - was) / spread)
  if (significance === undefined) return undefined
  return {
    kind: 'failing_more',
    significance,
    detail: `${percent(was)} of calls failed before, now ${percent(is)}`,
  }
}

/** Far more calls a second than before: beyond the chance of both counts, if calls come at random. */
export function hasMoreCalls(
  before: StatsGroup,
  after: StatsGroup,
  a: Pick<Side, 'seconds'>,
  b: Pick<Side, 'seconds'>,
): Change<'more_calls'> | undefined {
  if (a.seconds === 0 || b.seconds === 0) return undefined
  const expected = (before.calls / a.seconds) * b.seconds
  const more = after.calls - expected
  if (after.calls < expected * thresholds.rate_times || more < thresholds.calls_rise) return undefined
  const significance = significanceOf(more / Math.sqrt(expected * (1 + b.seconds / a.seconds)))
  if (significance === undefined) return undefined
  const [was, is] = [before.calls / a.seconds, after.calls / b.seconds]
  const detail = `${rate(was)} calls a second before, now ${rate(is)}`
  return { kind: 'more_calls', significance, detail }
}

/** Whether calls carry so much more that it is looked into: `sizesGrew` decides whether that is chance. */
export function seemsBigger(before: StatsGroup, after: StatsGroup): boolean {
  const [was, is] = [bytesOfCall(before), bytesOfCall(after)]
  return is >= was * thresholds.bytes_times && is - was >= thresholds.bytes_rise
}

/** Calls of each side with a message larger than `bytesOfCall` of A, of all: a test of two proportions. */
export function sizesGrew(
  before: StatsGroup,
  after: StatsGroup,
  larger: { readonly before: number; readonly after: number },
): Change<'bigger'> | undefined {
  const [was, is] = [larger.before / before.calls, larger.after / after.calls]
  const significance = significanceOf(
    (is - was) / proportionSpread(larger.before, before.calls, larger.after, after.calls),
  )
  if (significance === undefined) return undefined
  const [from, to] = [bytesOfCall(before), bytesOfCall(after)].map(Math.round)
  return {
    kind: 'bigger',
    significance,
    detail: `${from} bytes a call before, now ${to}; ${percent(is)} have a larger message than the average before (${percent(was)} then)`,
  }
}

/** Average of both messages together. */
export function bytesOfCall({ bytes, calls }: StatsGroup): number {
  return bytes / Math.max(calls, 1)
}

/** The standard deviation of the difference of two proportions, with both pooled as what chance would give. */
function proportionSpread(some: number, of: number, others: number, ofOthers: number): number {
  const pooled = (some + others) / (of + ofOthers)
  return Math.sqrt(pooled * (1 - pooled) * (1 / of + 1 / ofOthers))
}

/** Whether the percentiles rose far enough to be looked into: `tailGrew` decides whether that is chance. */
export function seemsSlower(before: StatsGroup, after: StatsGroup): boolean {
  return (
    rose(before.latency_p50_ms, after.latency_p50_ms) || rose(before.latency_p90_ms, after.latency_p90_ms)
  )
}

/**
 * A tenth of A's calls took longer than its p90, by definition. Of B's, `above` of `calls` did: without a change that
 * would be a tenth as well, give or take the chance of both samples.
 */
export function tailGrew(
  before: StatsGroup,
  after: StatsGroup,
  above: number,
  calls: number,
): Change<'slower'> | undefined {
  if (calls === 0) return undefined
  const share = above / calls
  const spread = Math.sqrt(0.1 * 0.9 * (1 / calls + 1 / before.calls))
  const significance = significanceOf((share - 0.1) / spread)
  if (significance === undefined) return undefined
  const p50 = `p50 ${milliseconds(before.latency_p50_ms)} → ${milliseconds(after.latency_p50_ms)}`
  const p90 = `p90 ${milliseconds(before.latency_p90_ms)} → ${milliseconds(after.latency_p90_ms)}`
  return {
    kind: 'slower',
    significance,
    detail: `${p50}, ${p90}; ${percent(share)} took longer than p90 before`,
  }
}

function rose(before: number | undefined, after: number | undefined): boolean {
  if (before === undefined || after === undefined) return false
  return after >= before * thresholds.latency_times && after - before >= thresholds.latency_rise_ms
}

function rate(value: number): string {
  return value.toFixed(value < 10 ? 2 : 0)
}

function percent(part: number): string {
  return `${(part * 100).toFixed(part < 0.1 ? 1 : 0)} %`
}

function milliseconds(value: number | undefined): string {
  return value === undefined ? '–' : `${value.toFixed(value < 10 ? 1 : 0)} ms`
}
