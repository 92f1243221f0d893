import { KeyStore } from '@tapdeck/tls'
import { ETHERNET, feed, trials } from '@tapdeck/wire/testing'
import { describe, expect, it } from 'vitest'
import { toCallRecord } from '../../call/engine-call.ts'
import type { Call, FullCall } from '../../contract/call.ts'
import { Dissection } from '../../dissection.ts'
import { QuicSession, streamFrame, varint } from '../quic/testing/quic-session.ts'

const text = (value: string) => Buffer.from(value, 'latin1')
/** An HTTP/3 frame. */
const frame = (type: number, payload: Uint8Array) =>
  Buffer.concat([varint(type), varint(payload.length), payload])
const headers = (...fields: readonly Uint8Array[]) =>
  frame(1, Buffer.concat([Uint8Array.of(0, 0), ...fields]))
const data = (body: string) => frame(0, text(body))
/** A field with the name of a static entry: RFC 9204 §4.5.4. */
const named = (index: number, value: string) =>
  Buffer.concat([
    index < 15 ? Uint8Array.of(0x50 | index) : Uint8Array.of(0x5f, index - 15),
    Uint8Array.of(value.length),
    text(value),
  ])
const literal = (name: string, value: string) =>
  Buffer.concat([Uint8Array.of(0x20 | name.length), text(name), Uint8Array.of(value.length), text(value)])
const [GET, HTTPS, OK] = [Uint8Array.of(0xc0 | 17), Uint8Array.of(0xc0 | 23), Uint8Array.of(0xc0 | 25)]

const request = (path: string) => headers(GET, HTTPS, named(1, path), named(0, 'shop.test'))
const response = (body: string) => Buffer.concat([headers(OK, literal('x-a', 'b')), data(body)])

/** SETTINGS with a dynamic table of 4096 bytes, as the control stream of that side. */
const settings = (side: 0 | 1) =>
  streamFrame(side + 2, 0, Buffer.concat([Uint8Array.of(0), frame(4, Uint8Array.of(1, 0x50, 0x00))]))

function dissect(session: QuicSession, keyLog = session.keyLog): FullCall[] {
  const keys = new KeyStore()
  keys.addKeyLog(keyLog, 'test')
  const calls: Call[] = []
  const faults: unknown[] = []
  const dissection = new Dissection({
    emit: (call) => calls.push(call),
    keys: () => keys,
    fault: (error) => faults.push(error),
  })
  feed(dissection, session.packets, ETHERNET)
  dissection.end()
  expect(faults).toEqual([])
  const names = { src: { ip: '10.0.0.1', port: 50000 }, dst: { ip: '10.0.0.2', port: 443 } }
  return calls.map((call) => toCallRecord(call, names, 'node', 'test').toJSON())
}

const shape = (calls: readonly FullCall[]) =>
  calls.map(({ proto, method, path, status, response: answer }) => [
    proto,
    method,
    path,
    status,
    answer?.body,
  ])
const HANDSHAKE = ['quic', 'ClientHello', 'example.com', undefined, undefined]

describe('HTTP/3 inside of a QUIC connection whose keys are known', () => {
  it('is dissected as HTTP, with the TLS session in each call', () => {
    const session = new QuicSession()
      .send(0, streamFrame(0, 0, request('/a'), true))
      .send(1, streamFrame(0, 0, response('hello'), true))
    const calls = dissect(session)
    expect(shape(calls)).toEqual([HANDSHAKE, ['http', 'GET', '/a', 200, 'hello']])
    expect(calls[0]).toMatchObject({ quic: { decrypted: true } })
    expect(calls[1]).toMatchObject({
      decrypted: true,
      request: { http_version: '3', headers: { ':authority': 'shop.test' } },
      response: { headers: { 'x-a': 'b' } },
      tls: { version: 'TLS 1.3', sni: 'example.com', key_source: 'test' },
    })
  })

  it('says why it is closed if there is no key, and emits no call', () => {
    const session = new QuicSession().send(0, streamFrame(0, 0, request('/a'), true))
    const calls = dissect(session, '')
    expect(shape(calls)).toEqual([HANDSHAKE])
    expect(calls[0]).toMatchObject({ quic: { not_decrypted: 'no_key' } })
  })

  it('puts parts of streams in order, and passes over those that come again', () => {
    const asked = request('/parts')
    const answer = response('one and two')
    const session = new QuicSession()
      .send(0, streamFrame(4, 10, asked.subarray(10), true))
      .send(0, streamFrame(4, 0, asked.subarray(0, 12)))
    for (const at of [20, 0, 10, 0, 20]) session.send(1, streamFrame(4, at, answer.subarray(at, at + 10)))
    session.send(1, streamFrame(4, 30, answer.subarray(30), true))
    expect(shape(dissect(session))).toEqual([HANDSHAKE, ['http', 'GET', '/parts', 200, 'one and two']])
  })

  it('reads the same calls if each byte comes in a frame of its own', () => {
    const session = new QuicSession()
    const bytewise = (side: 0 | 1, id: number, bytes: Uint8Array) => {
      for (let at = 0; at < bytes.length; at++)
        session.send(side, streamFrame(id, at, bytes.subarray(at, at + 1), at + 1 === bytes.length))
    }
    bytewise(0, 0, request('/bytewise'))
    bytewise(1, 0, response('slow'))
    expect(shape(dissect(session))).toEqual([HANDSHAKE, ['http', 'GET', '/bytewise', 200, 'slow']])
  })

  it('follows updates of the keys, also if packets were not captured', () => {
    const session = new QuicSession()
    const exchange = (id: number) =>
      session
        .send(0, streamFrame(id, 0, request(`/${id}`), true))
        .send(1, streamFrame(id, 0, response('x'), true))
    exchange(0)
    session.updateKey(0).updateKey(1)
    exchange(4)
    session.updateKey(0).updateKey(0).updateKey(1).updateKey(1)
    exchange(8)
    expect(shape(dissect(session)).map(([, , path]) => path)).toEqual(['example.com', '/0', '/4', '/8'])
  })

  it('opens datagrams that were captured as one, before the kernel divided them', () => {
    const session = new QuicSession().send(0, streamFrame(0, 0, request('/joined'), true))
    const answer = response('y'.repeat(4000))
    const sizes = 1200 - 1 - 4 - 16 - 4 - 13
    const parts: Buffer[] = []
    for (let at = 0; at < answer.length; at += sizes) {
      const part = answer.subarray(at, at + sizes)
      parts.push(session.seal(1, streamFrame(0, at, part, at + sizes >= answer.length)))
    }
    expect(parts[0]).toHaveLength(1200)
    session.datagram(1, Buffer.concat(parts))
    expect(dissect(session)[1]).toMatchObject({ path: '/joined', response: { body: 'y'.repeat(4000) } })
  })

  it('emits a stream that was given up as cut off', () => {
    const reset = Buffer.concat([Uint8Array.of(0x04), varint(0), varint(0x10c), varint(0)])
    const session = new QuicSession().send(0, streamFrame(0, 0, request('/cut'), true)).send(1, reset)
    expect(dissect(session)[1]).toMatchObject({
      path: '/cut',
      response: { reset: 'REQUEST_CANCELLED', reset_by: 'server' },
    })
  })

  it('waits for insertions into the dynamic table, which come on another stream, cut anywhere', () => {
    // Insert with the name of a static entry (:authority), and with a literal name; then both are referred to.
    const insertions = Buffer.concat([
      Uint8Array.of(0x3f, 0xe1, 0x1f),
      Uint8Array.of(0xc0, 9),
      text('shop.test'),
      Uint8Array.of(0x40 | 3),
      text('x-b'),
      Uint8Array.of(2),
      text('yz'),
    ])
    // Required insert count 2, base 2: both entries relative to the base.
    const section = frame(
      1,
      Buffer.concat([Uint8Array.of(3, 0, 0xc0 | 17, 0xc0 | 23, 0x81, 0x80), named(1, '/dynamic')]),
    )
    const session = new QuicSession().send(1, settings(1)).send(0, streamFrame(0, 0, section, true))
    const encoder = Buffer.concat([Uint8Array.of(2), insertions])
    for (let at = 0; at < encoder.length; at++)
      session.send(0, streamFrame(6, at, encoder.subarray(at, at + 1)))
    session.send(1, streamFrame(0, 0, response('z'), true))
    const [, call] = dissect(session)
    expect(call).toMatchObject({
      path: '/dynamic',
      status: 200,
      request: { headers: { ':authority': 'shop.test', 'x-b': 'yz' } },
    })
  })

  it('reads the other calls if insertions or parts of a stream are missing', () => {
    const section = frame(1, Buffer.concat([Uint8Array.of(3, 0, 0xc0 | 17, 0x81), named(1, '/unknown')]))
    const session = new QuicSession()
      .send(1, settings(1))
      .send(0, streamFrame(0, 0, section, true))
      .send(0, streamFrame(4, 5, request('/cut').subarray(5), true))
      .send(0, streamFrame(8, 0, request('/whole'), true))
      .send(1, streamFrame(8, 0, response('whole'), true))
    expect(shape(dissect(session))).toContainEqual(['http', 'GET', '/whole', 200, 'whole'])
  })

  it('survives any damage of what was encrypted', () => {
    const good = [
      streamFrame(0, 0, request('/fuzz'), true),
      settings(1),
      streamFrame(6, 0, Buffer.concat([Uint8Array.of(2, 0x3f, 0xe1, 0x1f, 0xc0, 3), text('abc')])),
      streamFrame(0, 0, response('body'), true),
    ]
    const rounds = trials(2000, 40)
    let seed = 12345
    const random = (below: number) => {
      seed = (Math.imul(seed, 1103515245) + 12345) & 0x7fffffff
      return seed % below
    }
    for (let round = 0; round < rounds; round++) {
      const session = new QuicSession()
      for (const [at, part] of good.entries()) {
        const damaged = Buffer.from(part)
        for (let changes = random(4); changes > 0; changes--) damaged[random(damaged.length)] = random(256)
        session.send(at === 0 || at === 2 ? 0 : 1, damaged.subarray(0, damaged.length - random(3)))
      }
      dissect(session)
    }
  })
})
