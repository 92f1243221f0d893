import { describe, expect, it } from 'vitest'
import { seeded } from '../../conformance/replay.ts'
import { TYPE } from './frame.ts'
import { data, frame, get, headers, joined, preface, settings } from './frame-builder.ts'
import { probe, resync } from './probe.ts'

const ask = (bytes: Uint8Array, side: 0 | 1) => probe(bytes, 0, bytes.length, side)
const text = (characters: string) => new TextEncoder().encode(characters)

describe('it is HTTP/2', () => {
  it('by the preface of a client, once it is all there', () => {
    expect(ask(preface, 0)).toBe('yes')
    for (let length = 1; length < 24; length++) expect(ask(preface.subarray(0, length), 0)).toBe('more')
    expect(ask(text('PRI * HTTP/2.0\r\n\r\nXX\r\n\r\n'), 0)).toBe('no')
    expect(ask(preface, 1)).toBe('no')
  })

  it('by the settings of a server', () => {
    expect(ask(settings, 1)).toBe('yes')
    expect(ask(frame(TYPE.settings, 0, 0), 1)).toBe('more')
    expect(ask(frame(TYPE.settings, 0, 0, [0, 2, 0, 0, 0, 9]), 1)).toBe('no')
  })

  it('by frames that follow one another in the middle of a connection', () => {
    expect(ask(get(5, '/').with(9, 0x82), 0)).not.toBe('yes')
    expect(ask(headers(5, [0x82, 0x86, 0x84, 0xbe], 5), 0)).toBe('yes')
    expect(ask(headers(5, [0x88, 0xbe], 4), 1)).toBe('yes')
    expect(ask(joined(data(5, 'abc'), headers(5, { 'grpc-status': '0' }, 5), data(7, 'x')), 1)).toBe('yes')
    expect(ask(data(5, 'abc'), 1)).toBe('more')
  })
})

describe('it is not HTTP/2', () => {
  it.each([
    ['HTTP/1.1', text('GET / HTTP/1.1\r\nHost: a\r\n\r\n')],
    ['a TLS ClientHello', Uint8Array.of(0x16, 3, 1, 0, 200, 1, 0, 0, 196, 3, 3)],
    ['SSH', text('SSH-2.0-OpenSSH_9.2\r\n')],
    ['Redis', text('*1\r\n$4\r\nPING\r\n')],
    [
      'a Kafka request',
      Uint8Array.of(0, 0, 0, 35, 0, 18, 0, 3, 0, 0, 0, 1, 0, 7, 114, 100, 107, 97, 102, 107, 97),
    ],
    [
      'a PostgreSQL startup',
      Uint8Array.of(0, 0, 0, 41, 0, 3, 0, 0, 117, 115, 101, 114, 0, 112, 111, 115, 116),
    ],
    ['a MongoDB message', Uint8Array.of(58, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0xd4, 7, 0, 0)],
    ['zeros', new Uint8Array(64)],
  ])('but %s', (_, bytes) => {
    expect(ask(bytes, 0)).not.toBe('yes')
    expect(ask(bytes, 1)).not.toBe('yes')
  })

  it('by chance', () => {
    const random = seeded(7)
    for (let round = 0; round < 20_000; round++) {
      const bytes = Uint8Array.from({ length: 40 }, () => Math.floor(random() * 256))
      // Small numbers are what binary protocols are full of.
      const small = Uint8Array.from({ length: 40 }, () => Math.floor(random() ** 6 * 256))
      for (const side of [0, 1] as const) {
        expect(ask(bytes, side)).not.toBe('yes')
        if (ask(small, side) === 'yes')
          expect(small[3] === TYPE.headers || small[3] === TYPE.settings).toBe(true)
      }
    }
  })
})

describe('after lost bytes', () => {
  it('frames are found again where they begin', () => {
    const rest = joined(headers(9, [0x88, 0xbe], 4), data(9, 'hello', true))
    expect(resync(joined(text('the end of a body'), rest), 0, 17 + rest.length, 1)).toBe(17)
    expect(resync(rest, 0, rest.length, 1)).toBe(0)
    expect(resync(text('nothing of the kind, nothing at all'), 0, 35, 1)).toBe(-1)
  })
})
