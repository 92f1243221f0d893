import assert from 'node:assert/strict'
import type { Flow } from '@tapdeck/wire'
import { type StreamEvent, trials } from '@tapdeck/wire/testing'
import { cutAt } from './check-damage.ts'
import { evenPlaces } from './even-places.ts'
import type { Observe } from './observation.ts'
import { type Cuts, whole } from './replay.ts'

/** Maximum numbers of start packets and end offsets tried, evenly spaced: in CI, and in the sample of `npm test`. */
const JOINS = [12, 4] as const
const CUTS = [60, 12] as const
/** Seeds of the bytes around each packet. */
const SURROUNDINGS = [1, 2, 3, 4, 5].slice(0, trials(5, 2))
/** Longer conversations and packets add no new cases byte by byte. */
const MAX_EVENTS = 16
const MAX_BYTES = 64
const hesitantly: Cuts = (length) => {
  const single = Math.min(length, MAX_BYTES)
  const cuts = Array.from({ length: single }, (_, index) => index + 1)
  return single < length ? [...cuts, length] : cuts
}

/**
 * Fails if a result depends on bytes outside of a packet or in a recycled frame buffer. Tries captures that begin at
 * any packet and end anywhere, byte by byte, because that probes most often.
 */
export function heedsOnlyItsBytes(events: readonly StreamEvent[], look: Observe): void {
  const places = [...events.keys()].filter((index) => 'bytes' in events[index])
  for (const i of evenPlaces(places.length, ...JOINS))
    seenAlike(joinedAt(events, places[i]), look, SURROUNDINGS, `what begins with packet ${i}`, hesitantly)
  const total = events.reduce((sum, event) => sum + ('bytes' in event ? event.bytes.length : 0), 0)
  for (const offset of evenPlaces(total, ...CUTS))
    seenAlike(cutAt(events, offset), look, SURROUNDINGS.slice(0, 2), `what ends after byte ${offset}`, whole)
}

function seenAlike(
  events: readonly StreamEvent[],
  look: Observe,
  surroundings: readonly number[],
  what: string,
  cuts: Cuts,
): void {
  const [first, ...others] = surroundings.map((around) => {
    const { calls, protocols, loss } = look(events, { cuts, around })
    return JSON.stringify({ calls, protocols, loss })
  })
  for (const other of others) assert.equal(other, first, what)
}

/** The capture begins at that event. */
function joinedAt(events: readonly StreamEvent[], place: number): StreamEvent[] {
  const flows = new Map<Flow, Flow>()
  const later = events.slice(place, place + MAX_EVENTS)
  const joined: StreamEvent[] = []
  for (const event of later) {
    if (event.kind === 'close') continue
    let flow = flows.get(event.flow)
    if (flow === undefined) {
      const { id, transport, ends, start, last, directions } = event.flow
      flow = {
        id,
        transport,
        ends,
        start,
        last,
        directions,
        midstream: event.kind !== 'open',
        state: undefined,
      }
      flows.set(event.flow, flow)
      if (event.kind !== 'open') joined.push({ kind: 'open', flow, time: event.time })
    }
    joined.push({ ...event, flow })
  }
  const end = later.at(-1)!.time
  for (const flow of flows.values()) joined.push({ kind: 'close', flow, time: end })
  return joined
}
