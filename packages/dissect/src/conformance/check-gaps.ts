import assert from 'node:assert/strict'
import type { StreamEvent } from '@tapdeck/wire/testing'
import type { Observation, Observe, ShownCall } from './observation.ts'

/** Connections with fewer calls cannot show the difference between a neighbour and the rest. */
const ENOUGH = 6
/** Packets whose loss is tried; more are tried at even steps. */
const TRIALS = 200

/**
 * Loses one packet after the other. At most `cost` calls more than those that stood in the packet may be damaged,
 * and no call may be made up: what is told must be one of the true calls, or say what it lacks. Two calls are the same
 * whose `likeness` is. The first `vital` packets are not lost.
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
  const step = Math.max(1, Math.ceil(places.length / TRIALS))
  for (let i = 0; i < places.length; i += step) loseOne(events, places[i], before, look, cost, likeness)
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
    `event ${index} (${bytes.length} bytes of side ${side}): ${damaged} of ${before.calls.length} calls damaged, ${touched} stood in it`,
  )
}

function spans({ ts, latency_ms }: ShownCall, time: number): boolean {
  // Half a microsecond: these are fractions of milliseconds, which do not add up exactly.
  return ts <= time / 1000 && time / 1000 <= ts + (latency_ms ?? 0) + 0.0005
}

export type Likeness = (call: ShownCall) => string

/** All that a call says, but for its number and those fields of its own object that its connection says only once. */
export function wholly(once: readonly string[]): Likeness {
  return ({ id: _, ...call }) => {
    const own = call[call.proto]
    if (once.length === 0 || typeof own !== 'object' || own === null) return JSON.stringify(call)
    const rest = Object.entries(own).filter(([name]) => !once.includes(name))
    return JSON.stringify({ ...call, [call.proto]: Object.fromEntries(rest) })
  }
}

/** When it began and ended, and between whom. */
export function inOutline({ ts, latency_ms, src, dst }: ShownCall): string {
  return JSON.stringify([ts, latency_ms, src, dst])
}
