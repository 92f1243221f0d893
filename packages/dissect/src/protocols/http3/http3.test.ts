import { KeyStore } from '@tapdeck/tls'
import { ETHERNET, feed, trials } from '@tapdeck/wire/testing'
import { describe, expect, it } from 'vitest'
import { toCallRecord } from '../../call/engine-call.ts'
import type { Call, FullCall } from '../../contract/call.ts'
import { Dissection } from '../../dissection.ts'
import { QuicSession, streamFrame, varint } from '../quic/testing/quic-session.ts'
import {
  dynamicRequest,
  frame,
  INSERTIONS,
  named,
  request,
  response,
  settings,
} from './testing/http3-bytes.ts'

const text = (value: string) => Buffer.from(value, 'latin1')

class LateKeys extends KeyStore {
  readonly isLate = true
}

/** `before`: how many packets come before the keys. */
function dissect(session: QuicSession, keyLog = session.keyLog, before = 0): FullCall[] {
  const keys = before > 0 ? new LateKeys() : new KeyStore()
  const calls: Call[] = []
  const faults: unknown[] = []
  const dissection = new Dissection({
    emit: (call) => calls.push(call),
    keys: () => keys,
    fault: (error) => faults.push(error),
  })
  feed(dissection, session.packets.slice(0, before), ETHERNET)
  keys.addKeyLog(keyLog, 'test')
  feed(dissection, session.packets.slice(before), ETHERNET)
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

  it('is opened in version 2, whose labels and packet types are others', () => {
    const session = new QuicSession(2)
    session.send(0, streamFrame(0, 0, request('/a'), true)).updateKey(1)
    session.send(1, streamFrame(0, 0, response('hello'), true))
    const calls = dissect(session)
    expect(shape(calls)).toEqual([HANDSHAKE, ['http', 'GET', '/a', 200, 'hello']])
    expect(calls[0]).toMatchObject({ quic: { version: '2', decrypted: true } })
  })

  it.each([1, 2] as const)('shows early data of version %i if its secret is there', (version) => {
    const session = new QuicSession(version, streamFrame(0, 0, request('/early'), true))
      .send(0, streamFrame(4, 0, request('/later'), true))
      .send(1, streamFrame(0, 0, response('first'), true))
      .send(1, streamFrame(4, 0, response('second'), true))
    expect(shape(dissect(session)).slice(1)).toEqual([
      ['http', 'GET', '/early', 200, 'first'],
      ['http', 'GET', '/later', 200, 'second'],
    ])
    const withoutEarly = session.keyLog.replace(/^CLIENT_EARLY.*$/m, '')
    expect(shape(dissect(session, withoutEarly)).map(([, , path]) => path)).toContain('/later')
  })

  it('is opened with keys that arrive after its packets', () => {
    const session = new QuicSession()
    for (const id of [0, 4, 8])
      session
        .send(0, streamFrame(id, 0, request(`/${id}`), true))
        .send(1, streamFrame(id, 0, response(`${id}`), true))
    const all = dissect(session)
    expect(all).toHaveLength(4)
    for (let before = 3; before <= session.packets.length; before++)
      expect(dissect(session, session.keyLog, before), `${before} packets`).toEqual(all)
  })

  it('is not closed by forged packets of the same addresses, however many they are', () => {
    const session = new QuicSession()
    const forge = () => {
      for (let count = 0; count < 200; count++)
        for (const side of [0, 1] as const)
          session.datagram(side, Buffer.alloc(60 + count, 0x40 + (count % 64)))
    }
    forge()
    session.send(0, streamFrame(0, 0, request('/a'), true)).send(1, streamFrame(0, 0, response('x'), true))
    forge()
    session.updateKey(0).updateKey(1)
    session.send(0, streamFrame(4, 0, request('/b'), true)).send(1, streamFrame(4, 0, response('y'), true))
    expect(shape(dissect(session)).slice(1)).toEqual([
      ['http', 'GET', '/a', 200, 'x'],
      ['http', 'GET', '/b', 200, 'y'],
    ])
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
    const session = new QuicSession()
      .send(1, settings(1))
      .send(0, streamFrame(0, 0, dynamicRequest('/dynamic'), true))
    for (let at = 0; at < INSERTIONS.length; at++)
      session.send(0, streamFrame(6, at, INSERTIONS.subarray(at, at + 1)))
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
