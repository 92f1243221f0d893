import { createCipheriv } from 'node:crypto'
import { udpFrame } from '@tapdeck/wire/testing'
import { describe, expect, it } from 'vitest'
import { conformance } from '../../conformance/conformance.ts'
import { builtFixture } from '../../conformance/fixture.ts'
import { observe } from '../../conformance/observation.ts'
import { quic } from './index.ts'

const captures = new URL('./captures/', import.meta.url)
const hex = (text: string) => Buffer.from(text.replace(/\s/g, ''), 'hex')

/** Keys of RFC 9001 §A.1, as printed there, for the connection id 8394c8f03e515708. */
const CLIENT = {
  key: hex('1f369613dd76d5467730efcbe3b1a22d'),
  iv: hex('fa044b2f42a3fd3b46fb255c'),
  hp: hex('9f50449e04a0e810283a1e9933adedd2'),
}
const SERVER = {
  key: hex('cf3a5331653c364c88f0f379b6067e37'),
  iv: hex('0ac1493ca1905853b0bba03e'),
  hp: hex('c206b8d9b9f0f37644430b490eeaa314'),
}

/** RFC 9001 §A.2: the CRYPTO frame with the client's hello. */
const CLIENT_FRAME = hex(`
  060040f1010000ed0303ebf8fa56f12939b9584a3896472ec40bb863cfd3e868
  04fe3a47f06a2b69484c00000413011302010000c000000010000e00000b6578
  616d706c652e636f6dff01000100000a00080006001d00170018001000070005
  04616c706e000500050100000000003300260024001d00209370b2c9caa47fba
  baf4559fedba753de171fa71f50f1ce15d43e994ec74d748002b000302030400
  0d0010000e0403050306030203080408050806002d00020101001c0002400100
  3900320408ffffffffffffffff05048000ffff07048000ffff08011001048000
  75300901100f088394c8f03e51570806048000ffff`)

/** RFC 9001 §A.3: the server's Initial as it goes over the wire. */
const SERVER_INITIAL = hex(`
  cf000000010008f067a5502a4262b5004075c0d95a482cd0991cd25b0aac406a
  5816b6394100f37a1c69797554780bb38cc5a99f5ede4cf73c3ec2493a1839b3
  dbcba3f6ea46c5b7684df3548e7ddeb9c3bf9c73cc3f3bded74b562bfb19fb84
  022f8ef4cdd93795d77d06edbb7aaf2f58891850abbdca3d20398c276456cbc4
  2158407dd074ee`)

/** RFC 9001 §A.4. */
const RETRY = hex('ff000000010008f067a5502a4262b5746f6b656e04a265ba2eff4d829058fb3f0f2496ba')

/** Seals a packet as RFC 9001 §5 has it; the header ends in a packet number of four bytes. */
function seal({ key, iv, hp }: typeof CLIENT, header: Buffer, frames: Buffer, size: number): Buffer {
  const payload = Buffer.concat([frames, Buffer.alloc(size - frames.length)])
  const nonce = Buffer.from(iv)
  for (let i = 0; i < 4; i++) nonce[8 + i] ^= header[header.length - 4 + i]
  const cipher = createCipheriv('aes-128-gcm', key, nonce)
  cipher.setAAD(header)
  const sealed = Buffer.concat([cipher.update(payload), cipher.final(), cipher.getAuthTag()])
  const mask = createCipheriv('aes-128-ecb', hp, null).update(sealed.subarray(0, 16))
  const masked = Buffer.from(header)
  masked[0] ^= mask[0] & 0x0f
  for (let i = 0; i < 4; i++) masked[header.length - 4 + i] ^= mask[1 + i]
  return Buffer.concat([masked, sealed])
}

const clientHeader = (number: number) =>
  Buffer.concat([hex('c300000001088394c8f03e5157080000449e'), Buffer.of(0, 0, 0, number)])
const clientInitial = seal(CLIENT, clientHeader(2), CLIENT_FRAME, 1162)

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

describe('quic conforms', () => {
  for (const { name, run } of conformance(quic, { captures, fixtures: [published, refused] })) it(name, run)
})

describe('quic', () => {
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
