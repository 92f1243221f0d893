import fc from 'fast-check'
import { expect, test } from 'vitest'
import { addressKey, DnsAnswerReader, DnsAnswers } from './dns-answers.ts'

const record = fc.record({
  name: fc.oneof(
    fc.constantFrom('a.example', 'b.example', ''),
    fc.string({ unit: 'binary', maxLength: 300 }),
  ),
  address: fc.oneof(
    fc.uint8Array({ minLength: 4, maxLength: 4 }),
    fc.uint8Array({ minLength: 16, maxLength: 16 }),
  ),
  time: fc.double({ min: 0, max: 4e12, noNaN: true }),
  flow: fc.nat(Number.MAX_SAFE_INTEGER),
  ttl: fc.nat(0xffffffff),
})

function readAll(bytes: Uint8Array): object[] {
  const reader = new DnsAnswerReader(bytes)
  const all: object[] = []
  while (reader.next()) {
    const { time, flow, ttl, key, name } = reader
    all.push({ time, flow, ttl, key, name })
  }
  return all
}

test('answers are read back as they were written, however they are divided', () => {
  fc.assert(
    fc.property(fc.array(fc.array(record, { maxLength: 40 }), { maxLength: 4 }), (parts) => {
      const answers = new DnsAnswers()
      for (const part of parts) {
        for (const { name, address, time, flow, ttl } of part) {
          const within = Buffer.concat([Buffer.of(9), address, Buffer.of(9)])
          answers.add(name, within.subarray(1, 1 + address.length), time, flow, ttl)
        }
        expect(readAll(answers.take())).toEqual(
          part.map(({ name, address, ...rest }) => ({
            ...rest,
            key:
              address.length === 4
                ? Buffer.from(address).readUInt32BE()
                : Buffer.from(address).toString('latin1'),
            name: Buffer.from(name).toString(),
          })),
        )
        expect(answers.size).toBe(0)
      }
    }),
  )
})

test('an address has the key that its text stands for, and what is none has no key', () => {
  const answers = new DnsAnswers()
  answers.add('a', Buffer.of(255, 0, 0, 1), 1, 1, 1)
  answers.add('a', Buffer.from('fd00000000000000000000000000000a', 'hex'), 1, 1, 1)
  const reader = new DnsAnswerReader(answers.take())
  reader.next()
  expect(reader.key).toBe(addressKey('255.0.0.1'))
  reader.next()
  expect(reader.key).toBe(addressKey('fd00::a'))
  for (const text of [
    '10.1.2',
    '10.1.2.03',
    '256.1.2.3',
    '10.1.2.3:80',
    'a.b.c.d',
    'fe80::1%eth0',
    'shop/web',
    '',
  ])
    expect(addressKey(text)).toBeUndefined()
})
