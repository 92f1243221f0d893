import type { StreamEvent } from '@tapdeck/wire/testing'
import { describe, expect, it } from 'vitest'
import { conformance } from '../../conformance/conformance.ts'
import { captureFixture } from '../../conformance/fixture.ts'
import { observe, type ShownCall } from '../../conformance/observation.ts'
import { websocket } from './index.ts'

const captures = new URL('./captures/', import.meta.url)

describe('websocket conforms', () => {
  // A capture without the upgrade lacks the path or all of the connection, and compressed messages need those before them:
  // what they then say is tried below.
  const options = { captures, outline: true, vital: 2, gapCost: 0 }
  for (const { name, run } of conformance(websocket, options)) it(name, run)
})

describe('a lost packet after the upgrade', () => {
  const eventsOf = (name: string) => captureFixture(new URL(`${name}.pcap`, captures)).events
  /** Every capture of `name` with one packet lost that is not part of the upgrade. */
  function* losses(name: string): Generator<readonly StreamEvent[]> {
    const events = eventsOf(name)
    const places = [...events.keys()].filter((index) => events[index].kind === 'data').slice(2)
    for (const index of places) {
      const lost = events[index]
      if (lost.kind !== 'data') continue
      const { flow, side, bytes, time } = lost
      yield events.toSpliced(index, 1, { kind: 'gap', flow, side, missing: bytes.length, time })
    }
  }
  const texts = (calls: readonly ShownCall[]) => calls.map(({ id: _, ...call }) => JSON.stringify(call))
  const missing = (before: readonly string[], after: readonly string[]) =>
    before.filter((call) => !after.includes(call)).length

  it.each(['messages', 'no-takeover'])('costs only the messages in it: %s', (name) => {
    const before = texts(observe(eventsOf(name)).calls)
    for (const events of losses(name)) {
      const { calls, faults } = observe(events)
      expect(faults).toEqual([])
      expect(missing(before, texts(calls))).toBeLessThanOrEqual(2)
    }
  })

  it('makes later messages of that side unreadable where they refer to it, and no other', () => {
    const whole = observe(eventsOf('deflate')).calls
    const bodies = new Set(whole.map(bodyOf))
    let unreadable = 0
    for (const events of losses('deflate')) {
      const { calls, faults } = observe(events)
      expect(faults).toEqual([])
      expect(calls.length).toBeGreaterThanOrEqual(whole.length - 2)
      for (const call of calls) {
        if (Reflect.get(Object(call.request), 'body_decoded') === false) unreadable++
        else if (Reflect.get(Object(call.request), 'truncated') !== true)
          expect(bodies).toContain(bodyOf(call))
      }
    }
    expect(unreadable).toBeGreaterThan(0)
  })
})

function bodyOf({ request }: ShownCall): unknown {
  return Reflect.get(Object(request), 'body')
}
