import { udpFrame } from '@tapdeck/wire/testing'
import { describe, expect, it } from 'vitest'
import { conformance } from '../../conformance/conformance.ts'
import { builtFixture } from '../../conformance/fixture.ts'
import { observe } from '../../conformance/observation.ts'
import { quic } from './index.ts'
import {
  CLIENT,
  CLIENT_2,
  CLIENT_FRAME,
  CLIENT_INITIAL_2,
  clientHeader,
  clientHeader2,
  clientInitial,
  hex,
  RETRY,
  SERVER,
  SERVER_INITIAL,
  SERVER_INITIAL_2,
  seal,
} from './testing/published-packets.ts'

const captures = new URL('./captures/', import.meta.url)
let time = 1_700_000_000_000_000
const packet = (side: 0 | 1, payload: Uint8Array) => {
  time += 1000
  const [client, server] = [
    { ip: '10.0.0.1', port: 50000 },
    { ip: '10.0.0.2', port: 443 },
  ]
  const [from, to] = side === 0 ? [client, server] : [server, client]
  return { data: udpFrame({ src: from.ip, dst: to.ip, sport: from.port, dport: to.port, payload }), time }
}
const calls = (...packets: ReturnType<typeof packet>[]) => {
  const { calls: found, faults } = observe(builtFixture('x', captures, packets).events)
  expect(faults).toEqual([])
  return found
}

/** CONNECTION_CLOSE with a TLS alert (handshake_failure), in a packet of the server. */
const refusal = seal(
  SERVER,
  Buffer.concat([hex('c3000000010008f067a5502a4262b5004496'), Buffer.of(0, 0, 0, 5)]),
  hex('1c412800036e6f65'),
  1154,
)

const published = builtFixture('published', captures, [packet(0, clientInitial), packet(1, SERVER_INITIAL)])
const refused = builtFixture('refused', captures, [packet(0, clientInitial), packet(1, refusal)])

/** Without keys there is no value: `../http3/http3.test.ts` has them. */
const checkedElsewhere = ['quic_decrypted', 'quic_not_decrypted']

describe('quic conforms', () => {
  for (const { name, run } of conformance(quic, {
    captures,
    fixtures: [published, refused],
    checkedElsewhere,
  }))
    it(name, run)
})

describe('quic', () => {
  it('is tried on the packets of version 2 that RFC 9369 prints', () => {
    const sealed = seal(CLIENT_2, clientHeader2(2), CLIENT_FRAME, 1162)
    expect(sealed.subarray(0, 32)).toEqual(CLIENT_INITIAL_2.begins)
    expect(sealed.subarray(-16)).toEqual(CLIENT_INITIAL_2.ends)
    expect(calls(packet(0, sealed), packet(1, SERVER_INITIAL_2))).toMatchObject([
      { method: 'ClientHello', path: 'example.com', quic: { version: '2' } },
    ])
  })

  it('is tried on the packet that RFC 9001 prints', () => {
    expect(clientInitial.subarray(0, 22).toString('hex')).toBe('c000000001088394c8f03e5157080000449e7b9aec34')
    expect(clientInitial.subarray(-16).toString('hex')).toBe('e221af44860018ab0856972e194cd934')
  })

  it('reads a hello that comes in pieces, out of order and over several datagrams', () => {
    const hello = CLIENT_FRAME.subarray(4)
    const piece = (start: number, end: number) =>
      Buffer.concat([Buffer.of(0x06, 0x40, start, 0x40, end - start), hello.subarray(start, end)])
    const first = seal(CLIENT, clientHeader(0), Buffer.concat([piece(200, 241), piece(0, 60)]), 1162)
    const second = seal(CLIENT, clientHeader(1), piece(60, 200), 1162)
    const [call] = calls(packet(0, first), packet(0, second), packet(1, SERVER_INITIAL))
    expect(call).toMatchObject({ path: 'example.com', quic: { alpn: ['alpn'], version: '1' } })
  })

  it('begins anew after a Retry', () => {
    const [call] = calls(
      packet(0, clientInitial),
      packet(1, RETRY),
      packet(0, clientInitial),
      packet(1, SERVER_INITIAL),
    )
    expect(call).toMatchObject({
      path: 'example.com',
      quic: { retry: true, cipher_suite: 'TLS_AES_128_GCM_SHA256' },
    })
  })

  it('shows which versions a server supports that rejects the offered one', () => {
    const negotiation = hex('80000000000008f067a5502a4262b5ff00001d6b3343cf')
    const found = calls(
      packet(0, clientInitial),
      packet(1, negotiation),
      packet(0, clientInitial),
      packet(1, SERVER_INITIAL),
    )
    expect(found).toMatchObject([{ quic: { versions: ['draft 29', '2'] } }])
  })
})
