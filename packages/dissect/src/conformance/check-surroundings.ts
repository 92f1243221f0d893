import assert from 'node:assert/strict'
import type { Flow } from '@tapdeck/wire'
import type { StreamEvent } from '@tapdeck/wire/testing'
import { cutAt } from './check-damage.ts'
import type { Observe } from './observation.ts'
import { type Cuts, whole } from './replay.ts'

/** Packets that a capture begins with, and bytes after which it ends; of more, those at even steps. */
const JOINS = 12
const CUTS = 60
/** What stands around the bytes, each time. */
const SURROUNDINGS = [1, 2, 3, 4, 5]
/** Byte by byte, most of a long conversation says nothing new, nor do most bytes of a long packet. */
const MOST_EVENTS = 16
const MOST_BYTES = 64
const hesitantly: Cuts = (length) => {
  const single = Math.min(length, MOST_BYTES)
  const cuts = Array.from({ length: single }, (_, index) => index + 1)
  return single < length ? [...cuts, length] : cuts
}

/**
 * In the memory that bytes come in there are others before and behind them, and so there are in what frames are put together
 * in: whoever looks beyond the end of what is there finds what was left by somebody else. Captures that begin with any packet, byte by byte,
 * for no packet is doubted as often, and that end anywhere.
 */
export function heedsOnlyItsBytes(events: readonly StreamEvent[], look: Observe): void {
  const places = [...events.keys()].filter((index) => 'bytes' in events[index])
  for (let i = 0; i < places.length; i += Math.max(1, Math.ceil(places.length / JOINS)))
    seenAlike(joinedAt(events, places[i]), look, SURROUNDINGS, `what begins with packet ${i}`, hesitantly)
  const total = events.reduce((sum, event) => sum + ('bytes' in event ? event.bytes.length : 0), 0)
  for (let offset = 0; offset < total; offset += Math.max(1, Math.ceil(total / CUTS)))
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

/** The capture begins there. */
function joinedAt(events: readonly StreamEvent[], place: number): StreamEvent[] {
  const flows = new Map<Flow, Flow>()
  const later = events.slice(place, place + MOST_EVENTS)
  const joined: StreamEvent[] = []
  for (const event of later) {
    if (event.kind === 'close') continue
    let flow = flows.get(event.flow)
    if (flow === undefined) {
      const { id, transport, ends, start, last, halves } = event.flow
      flow = { id, transport, ends, start, last, halves, midstream: event.kind !== 'open', state: undefined }
      flows.set(event.flow, flow)
      if (event.kind !== 'open') joined.push({ kind: 'open', flow, time: event.time })
    }
    joined.push({ ...event, flow })
  }
  const end = later.at(-1)!.time
  for (const flow of flows.values()) joined.push({ kind: 'close', flow, time: end })
  return joined
}
