import { Malformed } from '@tapdeck/wire'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ByteWriter } from '../bytes/byte-writer.ts'
import type { Exchange } from '../contract/dissector.ts'
import type { FieldValue, Message } from '../contract/message.ts'
import { packExchange, unpackExchange } from './exchange-codec.ts'

const field = fc.oneof(fc.string(), fc.integer(), fc.boolean(), fc.constant(null)) as fc.Arbitrary<FieldValue>
const moment = fc.double({ min: 0, max: 2e15, noNaN: true }).map((value) => value + 0)
const messages = fc.record(
  {
    kind: fc.constantFrom('request', 'response', 'event'),
    key: fc.oneof(fc.nat(), fc.string()),
    protocol: fc.string(),
    head: fc.uint8Array(),
    body: fc.uint8Array({ maxLength: 2000 }),
    bodySize: fc.maxSafeNat(),
    truncated: fc.constant(true),
    more: fc.constant(true),
    fields: fc.dictionary(fc.string(), field, { noNullPrototype: true }),
    start: moment,
    end: moment,
    size: fc.maxSafeNat(),
  },
  { requiredKeys: ['kind'] },
) as fc.Arbitrary<Message>
const exchanges = fc.record({ request: messages, response: messages }, { requiredKeys: [] })

describe('a packed exchange', () => {
  it('is unpacked unchanged', () => {
    fc.assert(
      fc.property(exchanges, (exchange) => {
        const whole: Exchange = { ...exchange, protocol: 'toy' }
        const back = unpackExchange('toy', packExchange(whole))
        expect(JSON.stringify(back)).toBe(JSON.stringify(unpackExchange('toy', packExchange(back))))
        expect(back).toEqual(whole)
      }),
    )
  })

  it('is refused if it is cut', () => {
    const packed = packExchange({
      protocol: 'toy',
      request: {
        kind: 'request',
        key: 7,
        head: Uint8Array.of(1, 2, 3),
        fields: { a: [1] },
        start: 1,
        size: 300,
      },
      response: { kind: 'response', key: 'k', body: Uint8Array.of(4), bodySize: 5, truncated: true, end: 2 },
    })
    for (let length = 0; length < packed.length; length++)
      expect(() => unpackExchange('toy', packed.subarray(0, length)), `${length} bytes`).toThrow(Malformed)
    expect(() => unpackExchange('toy', Uint8Array.of(...packed, 0))).toThrow(Malformed)
  })

  it('is unpacked or refused, for any bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 60 }), (bytes) => {
        try {
          unpackExchange('toy', Uint8Array.of(1, ...bytes))
        } catch (error) {
          expect(error).toBeInstanceOf(Malformed)
        }
      }),
      { numRuns: 2000 },
    )
  })

  it('names an unknown version', () => {
    expect(() => unpackExchange('toy', Uint8Array.of(9, 0))).toThrow('version 9')
  })
})

it('packs messages with the usual parts like all others', () => {
  for (const length of [0, 1, 48, 49, 127, 128, 20_000])
    for (const size of [0, 127, 128, 2 ** 31, 2 ** 40]) {
      const head = new Uint8Array(length).fill(7)
      const request: Message = { kind: 'event', head, start: 1.5, end: 1_763_000_000_000_123, size }
      const writer = new ByteWriter()
      writer.byte(1)
      writer.byte(1)
      writer.byte(2)
      writer.varint(8 | 512 | 1024 | 2048)
      writer.bytes(head)
      writer.double(1.5)
      writer.double(1_763_000_000_000_123)
      writer.varint(size)
      const packed = packExchange({ protocol: 'toy', request })
      expect(Buffer.compare(packed, writer.written())).toBe(0)
      expect(unpackExchange('toy', packed).request).toEqual(request)
    }
})
