import assert from 'node:assert/strict'
import type { StreamEvent } from '@tapdeck/wire/testing'
import type { Observation, Observe, ShownCall } from './observation.ts'

/** Connections with fewer calls cannot show the difference between a neighbour and the rest. */
const ENOUGH = 6
/** Packets whose loss is tried; more are tried at even steps. */
const TRIALS = 200

/**
 * Loses one packet after the other. At most `cost` calls more than those that stood in the packet may be damaged,
 * and no call may be made up: what is told must be one of the true calls, or say what it lacks. `once` names fields
 * of the protocol's own object that a connection says only once: all its calls lose them with the packet.
 */
export function losesOnlyNeighbours(
  events: readonly StreamEvent[],
  look: Observe,
  cost: number,
  once: readonly string[] = [],
): void {
  const before = look(events)
  if (before.calls.length < ENOUGH) return
  const places = [...events.keys()].filter((index) => events[index].kind === 'data')
  const step = Math.max(1, Math.ceil(places.length / TRIALS))
  for (let i = 0; i < places.length; i += step) loseOne(events, places[i], before, look, cost, once)
}

function loseOne(
  events: readonly StreamEvent[],
  index: number,
  before: Observation,
  look: Observe,
  cost: number,
  once: readonly string[],
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
    const like = likeness(call, once)
    kept.set(like, (kept.get(like) ?? 0) + 1)
  }
  let damaged = 0
  for (const call of before.calls) {
    const like = likeness(call, once)
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

/** A call by all it says, but for its number and what its connection said once. */
function likeness({ id: _, ...call }: ShownCall, once: readonly string[]): string {
  const own = call[call.proto]
  if (once.length === 0 || typeof own !== 'object' || own === null) return JSON.stringify(call)
  const rest = Object.entries(own).filter(([name]) => !once.includes(name))
  return JSON.stringify({ ...call, [call.proto]: Object.fromEntries(rest) })
}
