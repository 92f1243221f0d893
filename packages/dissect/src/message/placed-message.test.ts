import fc from 'fast-check'
import { expect, test } from 'vitest'
import { ByteWriter } from '../bytes/byte-writer.ts'
import { redraft } from '../contract/message.ts'
import { packExchange, unpackExchange, writeExchange } from '../pack/exchange-codec.ts'
import { packedFields, shareFields } from '../pack/shared-fields.ts'
import { DatagramMessage } from './datagram-message.ts'
import { PlacedMessage } from './placed-message.ts'
import { PlainMessage } from './plain-message.ts'

const place = fc.record({ before: fc.nat(20), length: fc.oneof(fc.nat(70), fc.nat(700)), after: fc.nat(20) })
const fields = shareFields({ tag: 'SELECT 3', rows: 3 })
const placed = fc
  .record(
    {
      head: place,
      body: place,
      key: fc.oneof(fc.nat(), fc.string()),
      bodySize: fc.maxSafeNat(),
      truncated: fc.constant(true),
      fields: fc.constantFrom(fields, { own: 'fields' }),
      more: fc.constant(true),
      start: fc.double({ min: 0, max: 2e15, noNaN: true }),
      end: fc.double({ min: 0, max: 2e15, noNaN: true }),
      size: fc.maxSafeNat(),
    },
    { requiredKeys: ['start', 'end', 'size'] },
  )
  .map(({ head, body, key, ...rest }) => {
    const message = new PlacedMessage('request')
    if (head !== undefined) message.placeHead(memory(head, 3), head.before, head.before + head.length)
    if (body !== undefined) message.placeBody(memory(body, 7), body.before, body.before + body.length)
    if (key !== undefined) message.key = key
    if (rest.fields !== undefined) message.packed = packedFields(rest.fields)
    return Object.assign(message, rest)
  })

/** Memory that is part of a larger buffer, as arenas return it. */
function memory({ before, length, after }: { before: number; length: number; after: number }, seed: number) {
  const size = before + length + after
  return Uint8Array.from({ length: size + 5 }, (_, index) => (index * seed) & 255).subarray(5)
}

test('a placed message is packed like a draft', () => {
  fc.assert(
    fc.property(placed, (request) => {
      const packed = packExchange({ protocol: 'toy', request })
      const plain = redraft(request)
      expect(Buffer.compare(packed, packExchange({ protocol: 'toy', request: plain }))).toBe(0)
      const back = unpackExchange('toy', packed).request
      expect(Buffer.compare(back?.head ?? new Uint8Array(0), plain.head ?? new Uint8Array(0))).toBe(0)
      expect(Buffer.compare(back?.body ?? new Uint8Array(0), plain.body ?? new Uint8Array(0))).toBe(0)
      expect(back?.head === undefined).toBe(request.headIn === undefined)
    }),
    { numRuns: 500 },
  )
})

test('a plain message is packed like a draft', () => {
  fc.assert(
    fc.property(place, fc.maxSafeNat(), fc.boolean(), (head, size, isTimed) => {
      const bytes = memory(head, 3)
      const request = new PlainMessage('event', bytes, head.before, head.before + head.length)
      expect(request.head).toEqual(bytes.subarray(head.before, head.before + head.length))
      if (isTimed) Object.assign(request, { start: 1.5, end: 1_763_000_000_000_123, size })
      const packed = packExchange({ protocol: 'toy', request })
      expect(Buffer.compare(packed, packExchange({ protocol: 'toy', request: redraft(request) }))).toBe(0)
    }),
    { numRuns: 300 },
  )
})

test('a datagram message is packed like a draft', () => {
  fc.assert(
    fc.property(place, fc.nat(65_535), fc.maxSafeNat(), fc.boolean(), (head, key, size, isCut) => {
      const bytes = memory(head, 3)
      const time = 1_763_000_000_000_123
      const end = head.before + head.length
      const cut = isCut || undefined
      const response = new DatagramMessage('response', key, time, bytes, head.before, end)
      response.truncated = cut
      const same = () => Buffer.from(packExchange({ protocol: 'toy', response: redraft(response) }))
      expect(packExchange({ protocol: 'toy', response })).toEqual(new Uint8Array(same()))
      response.size = size
      expect(packExchange({ protocol: 'toy', response })).toEqual(new Uint8Array(same()))
      const back = unpackExchange('toy', same()).response
      expect(back).toMatchObject({ kind: 'response', key, start: time, end: time, size })
      expect(back?.truncated).toBe(cut)
    }),
    { numRuns: 300 },
  )
})

test('messages from different buffers are packed correctly', () => {
  const exchange = (seed: number) => {
    const bytes = memory({ before: 3, length: 90, after: 0 }, seed)
    const request = new PlainMessage('request', bytes, 3, 93)
    const response = new PlacedMessage('response')
    response.placeBody(bytes, 40, 93)
    return { protocol: 'toy', request, response }
  }
  const writer = new ByteWriter()
  const apart = [3, 5, 3, 7].map((seed) => {
    writeExchange(exchange(seed), writer)
    return packExchange(exchange(seed))
  })
  expect(Buffer.compare(writer.written(), Buffer.concat(apart))).toBe(0)
})

test('head and body are views of the placed bytes', () => {
  const memory = Uint8Array.of(1, 2, 3, 4, 5)
  const message = new PlacedMessage('event')
  expect(message.head).toBeUndefined()
  expect(message.body).toBeUndefined()
  message.placeHead(memory, 1, 3)
  message.placeBody(memory, 3, 5)
  expect(message.head).toEqual(Uint8Array.of(2, 3))
  expect(message.body).toEqual(Uint8Array.of(4, 5))
  expect(message.byteLength).toBe(4)
})
