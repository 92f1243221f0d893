import { keyOfParty, type Traffic } from './evidence.ts'
import type { Loss } from './loss.ts'
import { doublings, milliseconds, percent, whole } from './statistics.ts'

const MIN_CALLS = 20
const FAILING_SHARE = 0.1
const TIMES = 3
const RISE_MS = 5

/** How some pods differ from their siblings. */
export interface Oddness {
  readonly how: 'failing' | 'slow'
  readonly score: number
  /** Of the others. */
  readonly before: string
  readonly after: string
  readonly loss: Loss
}

export function isBusy({ calls }: Traffic): boolean {
  return calls >= MIN_CALLS
}

/** Compares pods with others of their services. Both lists have busy pods only. */
export function oddness(inside: readonly Traffic[], outside: readonly Traffic[], others: string): Oddness[] {
  if (inside.length === 0 || outside.length === 0) return []
  return [...failing(inside, outside, others), ...slow(inside, outside, others)]
}

/** Whether each of the pods differs by itself: else it is one of them. */
export function isEach(
  inside: readonly Traffic[],
  outside: readonly Traffic[],
  how: Oddness['how'],
): boolean {
  return inside.every((pod) => oddness([pod], outside, '').some((one) => one.how === how))
}

/** Whether the same pods differed in the same way in the time before. */
export function wasOdd(pods: readonly string[], how: Oddness['how'], before: readonly Traffic[]): boolean {
  const known = before.filter(isBusy)
  const inside = known.filter(({ server }) => pods.includes(keyOfParty(server)))
  const services = new Set(inside.map(({ client }) => keyOfParty(client)))
  const outside = known.filter((one) => services.has(keyOfParty(one.client)) && !inside.includes(one))
  return inside.length > 0 && outside.length > 0 && isEach(inside, outside, how)
}

function failing(inside: readonly Traffic[], outside: readonly Traffic[], others: string): Oddness[] {
  const [failed, calls] = [sum(inside, 'failures'), sum(inside, 'calls')]
  const callsOutside = sum(outside, 'calls')
  const [share, usual] = [failed / calls, sum(outside, 'failures') / callsOutside]
  if (share < FAILING_SHARE || share < usual * TIMES) return []
  return [
    {
      how: 'failing',
      score: 62 + 28 * (share - usual),
      before: `${others}: ${percent(usual)} of ${callsOutside} calls fail`,
      after: `${percent(share)} of ${calls} calls fail`,
      loss: { how: 'failed', lost: failed, of: calls },
    },
  ]
}

function slow(inside: readonly Traffic[], outside: readonly Traffic[], others: string): Oddness[] {
  const usual = Math.max(...outside.flatMap(({ p50 }) => p50 ?? []))
  const least = Math.min(...inside.flatMap(({ p50 }) => p50 ?? []))
  if (!Number.isFinite(usual) || !Number.isFinite(least)) return []
  if (least < usual * TIMES || least - usual < RISE_MS) return []
  const calls = sum(inside, 'calls')
  const figure = inside.length === 1 ? milliseconds(least) : `at least ${milliseconds(least)}`
  return [
    {
      how: 'slow',
      score: 54 + 6 * doublings(least / Math.max(usual, 0.1)),
      before: `${others}: p50 at most ${milliseconds(usual)}`,
      after: `p50 ${figure} of ${whole(calls)} calls`,
      // Half of them take longer than the median.
      loss: { how: 'delayed', lost: Math.ceil(calls / 2), of: calls },
    },
  ]
}

function sum(list: readonly Traffic[], name: 'calls' | 'failures'): number {
  return list.reduce((total, one) => total + one[name], 0)
}
