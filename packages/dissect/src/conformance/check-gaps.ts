import assert from 'node:assert/strict'
import type { StreamEvent } from '@tapdeck/wire/testing'
import { evenPlaces } from './even-places.ts'
import type { Observation, Observe, ShownCall } from './observation.ts'

/** Connections with fewer calls cannot replay a neighbouring call from the rest. */
const ENOUGH = 6
/** Maximum number of lost packets tried, evenly spaced: in CI, and in the sample of `npm test`. */
const TRIALS = [200, 30] as const

/**
 * Drops each packet in turn. Apart from the calls in that packet, at most `cost` calls may be damaged, and none may
 * be invented: each emitted call equals a true one by `likeness`, or is marked incomplete. The first `vital` packets
 * are kept.
 */
export function losesOnlyNeighbours(
  events: readonly StreamEvent[],
  look: Observe,
  cost: number,
  likeness: Likeness,
  vital: number,
): void {
  const before = look(events)
  if (before.calls.length < ENOUGH) return
  const places = [...events.keys()].filter((index) => events[index].kind === 'data').slice(vital)
  for (const place of evenPlaces(places.length, ...TRIALS))
    loseOne(events, places[place], before, look, cost, likeness)
}

function loseOne(
  events: readonly StreamEvent[],
  index: number,
  before: Observation,
  look: Observe,
  cost: number,
  likeness: Likeness,
): void {
  const lost = events[index]
  if (lost.kind !== 'data') return
  const { flow, side, bytes, time } = lost
  const gap: StreamEvent = { kind: 'gap', flow, side, missing: bytes.length, time }
  const after = look(events.toSpliced(index, 1, gap))
  assert.deepEqual(after.faults, [])
  const touched = before.calls.filter((call) => spans(call, time)).length
  const kept = new Map<string, number>()
  for (const call of after.calls) {
    const like = likeness(call)
    kept.set(like, (kept.get(like) ?? 0) + 1)
  }
  let damaged = 0
  for (const call of before.calls) {
    const like = likeness(call)
    const left = kept.get(like) ?? 0
    if (left === 0) damaged++
    else kept.set(like, left - 1)
  }
  assert.ok(
    damaged <= touched + cost,
    `event ${index} (${bytes.length} bytes of side ${side}): ${damaged} of ${before.calls.length} calls damaged, ${touched} in it`,
  )
}

function spans({ ts, latency_ms }: ShownCall, time: number): boolean {
  // Half a microsecond of tolerance: sums of fractional milliseconds are inexact.
  return ts <= time / 1000 && time / 1000 <= ts + (latency_ms ?? 0) + 0.0005
}

export type Likeness = (call: ShownCall) => string

/** Everything about a call except its number and the `once` fields of its protocol. */
export function wholly(once: readonly string[]): Likeness {
  return ({ id: _, ...call }) => {
    const own = call[call.proto]
    if (once.length === 0 || typeof own !== 'object' || own === null) return JSON.stringify(call)
    const rest = Object.entries(own).filter(([name]) => !once.includes(name))
    return JSON.stringify({ ...call, [call.proto]: Object.fromEntries(rest) })
  }
}

/** Only times and endpoints. */
export function inOutline({ ts, latency_ms, src, dst }: ShownCall): string {
  return JSON.stringify([ts, latency_ms, src, dst])
}
