import assert from 'node:assert/strict'
import { type StreamEvent, trials } from '@tapdeck/wire/testing'
import { evenPlaces } from './even-places.ts'
import type { Observe } from './observation.ts'
import { seeded } from './replay.ts'

/** Maximum number of offsets tried per fixture, evenly spaced: in CI, and in the sample of `npm test`. */
const OFFSETS = [120, 20] as const
const MUTATIONS = trials(40, 8)
/** Limits low enough that each one is reached. */
const tight = {
  body: 256,
  frame: 1024,
  probe: 512,
  pending: 4,
  waiting: 4,
  total: 16 * 1024,
  patience: 1_000_000,
}

/** No damage to the bytes causes an error, a hang or a leak. */
export function survivesDamage(events: readonly StreamEvent[], look: Observe): void {
  const total = events.reduce((sum, event) => sum + ('bytes' in event ? event.bytes.length : 0), 0)
  for (const offset of evenPlaces(total, ...OFFSETS)) sound(cutAt(events, offset), look, `cut at ${offset}`)
  for (let seed = 1; seed <= MUTATIONS; seed++) sound(mutated(events, seeded(seed)), look, `mutation ${seed}`)
}

function sound(events: readonly StreamEvent[], look: Observe, what: string): void {
  for (const limits of [undefined, tight]) {
    const { faults, leaked } = look(events, limits === undefined ? {} : { limits })
    assert.deepEqual(faults, [], what)
    assert.equal(leaked, 0, `${what}: bytes of the budget were not given back`)
  }
}

/** The capture ends after `offset` bytes of payload. */
export function cutAt(events: readonly StreamEvent[], offset: number): StreamEvent[] {
  let left = offset
  const kept: StreamEvent[] = []
  for (const event of events) {
    if (!('bytes' in event)) {
      if (event.kind === 'close' || left > 0) kept.push(event)
      continue
    }
    if (left > 0) kept.push({ ...event, bytes: event.bytes.subarray(0, left) })
    left -= event.bytes.length
  }
  return kept.filter(
    (event, _, all) =>
      event.kind !== 'close' || all.some((one) => one.kind === 'open' && one.flow === event.flow),
  )
}

/** Changes bytes; drops, repeats, swaps or replaces events. */
function mutated(events: readonly StreamEvent[], random: () => number): StreamEvent[] {
  const below = (limit: number) => Math.floor(random() * limit)
  const result: StreamEvent[] = []
  for (const event of events) {
    if (!('bytes' in event)) {
      result.push(event)
      continue
    }
    const fate = random()
    if (fate < 0.05 && event.kind === 'data')
      result.push({
        kind: 'gap',
        flow: event.flow,
        side: event.side,
        missing: 1 + below(5000),
        time: event.time,
      })
    else if (fate < 0.1) result.push(event, event)
    else if (fate < 0.15) result.push({ ...event, bytes: Uint8Array.from(event.bytes, () => below(256)) })
    else if (fate < 0.5) result.push({ ...event, bytes: withChanges(event.bytes, 1 + below(4), below) })
    else if (fate < 0.55) result.push({ ...event, side: event.side === 0 ? 1 : 0 })
    else if (fate < 0.6) result.push({ ...event, bytes: event.bytes.subarray(below(event.bytes.length + 1)) })
    else result.push(event)
  }
  return result
}

function withChanges(bytes: Uint8Array, changes: number, below: (limit: number) => number): Uint8Array {
  const changed = bytes.slice()
  for (let i = 0; i < changes && changed.length > 0; i++) changed[below(changed.length)] = below(256)
  return changed
}
