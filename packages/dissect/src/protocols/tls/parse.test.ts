import { be16, Conversation, concat } from '@tapdeck/wire/testing'
import { describe, expect, it } from 'vitest'
import { builtFixture } from '../../conformance/fixture.ts'
import { observe } from '../../conformance/observation.ts'

const vector16 = (bytes: Uint8Array) => concat(be16(bytes.length), bytes)
const extension = (type: number, data: Uint8Array) => concat(be16(type), vector16(data))
const message = (type: number, body: Uint8Array) => concat(Uint8Array.of(type, 0), be16(body.length), body)
const record = (type: number, payload: Uint8Array) =>
  concat(Uint8Array.of(type, 3, 3), be16(payload.length), payload)
const hello = (type: number, chosen: Uint8Array, ...extensions: Uint8Array[]) =>
  message(
    type,
    concat(
      Uint8Array.of(3, 3),
      new Uint8Array(32),
      Uint8Array.of(0),
      chosen,
      vector16(concat(...extensions)),
    ),
  )

const name = new TextEncoder().encode('shop.test')
const sni = extension(0, vector16(concat(Uint8Array.of(0), vector16(name))))
const clientHello = hello(1, concat(vector16(Uint8Array.of(0x13, 1)), Uint8Array.of(1, 0)), sni)
const serverHello13 = hello(2, Uint8Array.of(0x13, 1, 0), extension(43, Uint8Array.of(3, 4)))
const serverHello12 = hello(2, Uint8Array.of(0xc0, 0x2f, 0))
const secret = (length: number) => record(23, new Uint8Array(length).fill(7))
const changeCipherSpec = record(20, Uint8Array.of(1))
const finished = record(22, new Uint8Array(40).fill(9))

const begun = () => new Conversation({ serverPort: 9999 }).handshake()
const look = (conversation: Conversation, kinds: (kind: string) => boolean = () => true) => {
  const { events } = builtFixture('x', new URL(import.meta.url), conversation.packets)
  const { calls, protocols, faults } = observe(events.filter(({ kind }) => kinds(kind)))
  expect(faults).toEqual([])
  return { calls, protocols }
}

describe('a handshake', () => {
  it('is emitted as soon as both sides encrypt, not when the connection ends', () => {
    const open = begun()
      .send(0, record(22, clientHello))
      .send(1, concat(record(22, serverHello13), secret(200)))
      .send(0, secret(53))
    const { calls } = look(open, (kind) => kind !== 'close')
    expect(calls).toMatchObject([
      { proto: 'tls', method: 'ClientHello', path: 'shop.test', tls: { version: 'TLS 1.3', complete: true } },
    ])
    expect(calls[0]).not.toHaveProperty('error')
  })

  it('of TLS 1.2 is over with the second ChangeCipherSpec', () => {
    const open = begun()
      .send(0, record(22, clientHello))
      .send(1, record(22, concat(serverHello12, message(14, new Uint8Array(0)))))
      .send(0, concat(record(22, message(16, new Uint8Array(32))), changeCipherSpec, finished))
    expect(look(open, (kind) => kind !== 'close').calls).toEqual([])
    open.send(1, concat(changeCipherSpec, finished))
    expect(look(open, (kind) => kind !== 'close').calls).toMatchObject([
      { tls: { version: 'TLS 1.2', resumed: false } },
    ])
  })

  it('that a client refuses behind encryption is a failure: only an alert is that short', () => {
    const { calls } = look(
      begun()
        .send(0, record(22, clientHello))
        .send(1, concat(record(22, serverHello13), secret(200)))
        .send(0, concat(changeCipherSpec, secret(19)))
        .close(),
    )
    expect(calls).toMatchObject([{ status: 'encrypted_alert', error: 'encrypted_alert from the client' }])
  })

  it('goes on after a warning', () => {
    const warning = record(21, Uint8Array.of(1, 112))
    const { calls } = look(
      begun()
        .send(0, record(22, clientHello))
        .send(1, concat(warning, record(22, serverHello12), changeCipherSpec, finished))
        .send(0, concat(changeCipherSpec, finished))
        .close(),
    )
    expect(calls).toMatchObject([{ status: 'unrecognized_name', tls: { complete: true, resumed: true } }])
    expect(calls[0]).not.toHaveProperty('error')
  })

  it('may come in as many records and segments as it likes', () => {
    // The first record must hold enough to be recognised.
    const whole = concat(record(22, clientHello.subarray(0, 9)), record(22, clientHello.subarray(9)))
    const conversation = new Conversation({ serverPort: 9999, segmentSize: 3 }).handshake()
    conversation
      .send(0, whole)
      .send(1, concat(record(22, serverHello13), secret(99)))
      .send(0, secret(53))
    expect(look(conversation).calls).toMatchObject([{ path: 'shop.test', tls: { complete: true } }])
  })

  it('with a server that does not speak TLS says so', () => {
    const { calls } = look(
      begun().send(0, record(22, clientHello)).send(1, 'SSH-2.0-OpenSSH_9.2\r\n').close(1),
    )
    expect(calls).toMatchObject([
      { error: 'the server does not speak TLS', response: { body: 'SSH-2.0-OpenSSH_9.2\r\n' } },
    ])
  })

  it('is reset or closed before its end', () => {
    const half = () => begun().send(0, record(22, clientHello)).send(1, record(22, serverHello13))
    expect(look(half().reset(1)).calls).toMatchObject([{ error: 'reset during the handshake' }])
    expect(look(half().close(0)).calls).toMatchObject([{ error: 'closed during the handshake' }])
    const [call] = look(half()).calls
    expect(call).toMatchObject({ tls: { complete: false } })
    expect(call).not.toHaveProperty('error')
  })
})

describe('a connection that was joined late', () => {
  const later = (conversation: Conversation) => {
    conversation.packets.splice(0, 3)
    return conversation
  }

  it('is recognised by its records and has no handshake', () => {
    const { calls, protocols } = look(later(begun().send(0, secret(100)).send(1, secret(3000)).close()))
    expect(protocols).toEqual(['tls'])
    expect(calls).toEqual([])
  })

  it('at the answer is reported', () => {
    const { calls } = look(
      later(
        begun()
          .send(1, concat(record(22, serverHello13), secret(200)))
          .send(0, secret(53))
          .close(),
      ),
    )
    expect(calls).toMatchObject([{ error: 'midstream', dst: { port: 9999 }, tls: { version: 'TLS 1.3' } }])
  })
})
