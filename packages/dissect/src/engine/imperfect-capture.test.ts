import { type BuiltPacket, Conversation, feed } from '@tapdeck/wire/testing'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { toy } from '../conformance/toy-protocol.ts'
import { Dissection } from '../dissection.ts'
import { latin1 } from '../text/text.ts'

/** Batches of requests, each followed by its responses. Segments end anywhere. */
function batches(sizes: readonly number[], segmentSize: number): readonly BuiltPacket[] {
  const talk = new Conversation({ serverPort: 7777, segmentSize }).handshake()
  let next = 100
  for (const size of sizes) {
    const numbers = Array.from({ length: size }, () => next++)
    talk.send(0, numbers.map((n) => `toy ? ${n}\n`).join(''))
    talk.send(1, numbers.map((n) => `toy = ${n}\n`).join(''))
  }
  return talk.close().packets
}

/** Calls that have the response of another request. */
const mixed = (emitted: readonly string[]) => emitted.filter((call) => /^(\d{3}) (?!\1)\d{3} /.test(call))

/** Request and response with times. */
function calls(packets: readonly BuiltPacket[]): string[] {
  const emitted: string[] = []
  const text = (body: Uint8Array | undefined) => (body === undefined ? '' : latin1(body).trim())
  const dissection = new Dissection({
    protocols: [toy],
    emit: ({ request, response, start, end }) =>
      emitted.push(`${text(request?.body)} ${text(response?.body)} ${start} ${end}`),
  })
  feed(dissection, packets)
  dissection.end()
  return emitted
}

const sizes = fc.array(fc.integer({ min: 1, max: 8 }), { minLength: 1, maxLength: 6 })
const segmentSize = fc.integer({ min: 10, max: 50 })

it('with reordered packets gives the same calls', () => {
  const moves = fc.array(fc.tuple(fc.nat(), fc.integer({ min: 1, max: 8 })), { maxLength: 20 })
  fc.assert(
    fc.property(sizes, segmentSize, moves, (batch, segment, late) => {
      const packets = batches(batch, segment)
      const shuffled = [...packets]
      for (const [place, by] of late) {
        const from = 3 + (place % (packets.length - 4))
        shuffled.splice(from + by, 0, ...shuffled.splice(from, 1))
      }
      expect(calls(shuffled)).toEqual(calls(packets))
    }),
    { numRuns: 50 },
  )
})

it.each([
  ['the sync, and a request before it was found again', [2, 2], 10, [4, 9]],
  ['the last request, visible only by its response', [2, 2], 11, [3, 10, 15]],
  ['the last response, visible only by the end of the client', [2, 1, 4], 10, [3, 9, 21, 24]],
])('with a lost %s pairs no request with a foreign response', (_, batch, segment, lost) => {
  expect(mixed(calls(batches(batch, segment).filter((_packet, index) => !lost.includes(index))))).toEqual([])
})

// If the end of the flow is lost completely, the loss cannot be noticed.
it('with lost packets, except the last ones, pairs no request with a foreign response', () => {
  const losses = fc.array(fc.nat(), { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(sizes, segmentSize, losses, (batch, segment, lost) => {
      const packets = batches(batch, segment)
      const dropped = new Set(lost.map((place) => 3 + (place % (packets.length - 6))))
      expect(mixed(calls(packets.filter((_, index) => !dropped.has(index))))).toEqual([])
    }),
    { numRuns: 50 },
  )
})
