import { describe, expect, it } from 'vitest'
import { conformance } from '../../conformance/conformance.ts'
import { captureFixtures } from '../../conformance/fixture.ts'
import { observe, type ShownCall } from '../../conformance/observation.ts'
import { http2 } from './index.ts'

const captures = new URL('./captures/', import.meta.url)

describe('http2 conforms', () => {
  // A packet that taught the other side a header is missed by all that refer to it: what that costs is checked below.
  // Where it held the upgrade, the first stream, which HTTP/1 asked for, goes with it, and the next is HTTP/1's still.
  for (const { name, run } of conformance(http2, { captures, outline: true, gapCost: 2 })) it(name, run)
})

const fixtures = [
  ...captureFixtures(captures),
  ...captureFixtures(new URL('../grpc/captures/', import.meta.url)).filter(({ name }) => name !== 'web'),
]

interface Half {
  readonly headers?: Readonly<Record<string, unknown>>
  readonly method?: unknown
  readonly path?: unknown
  readonly status?: unknown
  readonly stream_id?: unknown
  readonly unknown_headers?: unknown
  readonly truncated?: unknown
}

function halves(call: ShownCall): [Half, Half] {
  return [(call.request ?? {}) as Half, (call.response ?? {}) as Half]
}

function sameStream(one: ShownCall, other: ShownCall): boolean {
  const [asked, answered] = halves(one)
  const [otherAsked, otherAnswered] = halves(other)
  const id = asked.stream_id ?? answered.stream_id
  return id === (otherAsked.stream_id ?? otherAnswered.stream_id) && one.src.port === other.src.port
}

describe('a lost packet', () => {
  for (const { name, events } of fixtures) {
    const before = observe(events).calls
    const places = [...events.keys()].filter((index) => events[index].kind === 'data')
    const after = (index: number) => {
      const lost = events[index]
      if (lost.kind !== 'data') throw new TypeError('no data')
      const { flow, side, bytes, time } = lost
      return observe(events.toSpliced(index, 1, { kind: 'gap', flow, side, missing: bytes.length, time }))
        .calls
    }

    it(`never makes ${name} say what was not said`, () => {
      for (const index of places)
        for (const call of after(index)) {
          const original = before.find((one) => sameStream(one, call))
          expect(original, `event ${index}`).toBeDefined()
          if (original === undefined) continue
          for (const [at, half] of halves(call).entries()) {
            const truth = halves(original)[at]
            for (const part of ['method', 'path', 'status'] as const)
              if (half[part] !== undefined && call.proto === original.proto)
                expect(half[part], `event ${index}`).toEqual(truth[part])
            for (const [header, value] of Object.entries(half.headers ?? {}))
              if (header !== '?' && truth.headers?.[header] !== undefined)
                expect(value, `event ${index}: ${header}`).toEqual(truth.headers[header])
          }
        }
    })
  }

  it('costs only the calls in it once both sides know their headers', () => {
    const load = fixtures.find(({ name }) => name === 'load')
    expect(load).toBeDefined()
    if (load === undefined) return
    const { events } = load
    const before = observe(events).calls
    const data = [...events.keys()].filter((index) => events[index].kind === 'data')
    for (const index of data.slice(6)) {
      const lost = events[index]
      if (lost.kind !== 'data') continue
      const { flow, side, bytes, time } = lost
      const { calls } = observe(
        events.toSpliced(index, 1, { kind: 'gap', flow, side, missing: bytes.length, time }),
      )
      const stood = before.filter(
        ({ ts, latency_ms }) => ts <= time / 1000 && time / 1000 <= ts + (latency_ms ?? 0),
      )
      const known = calls.filter((call) =>
        halves(call).every(({ unknown_headers }) => unknown_headers === undefined),
      )
      expect(known.filter(({ error }) => error !== 'gap').length).toBeGreaterThanOrEqual(
        before.length - stood.length,
      )
    }
  })
})
