import { Conversation, feed } from '@tapdeck/wire/testing'
import { describe, expect, it } from 'vitest'
import { toCallRecord } from '../../call/engine-call.ts'
import type { Call } from '../../contract/call.ts'
import { Dissection } from '../../dissection.ts'

const text = (value: string) => [value.length >> 8, value.length & 255, ...Buffer.from(value)]
const packet = (first: number, ...body: number[]) => Uint8Array.of(first, body.length, ...body)
const connect = (level: number, ...properties: number[]) =>
  packet(0x10, ...text('MQTT'), level, 2, 0, 60, ...properties, ...text('me'))
const CONNECT4 = connect(4)
const CONNACK4 = packet(0x20, 0, 0)
const CONNECT5 = connect(5, 0)
const CONNACK5 = packet(0x20, 0, 0, 0)

function dissect(talk: Conversation): Call[] {
  const calls: Call[] = []
  const dissection = new Dissection({
    emit: (call) => calls.push(call),
    fault: (error) => {
      throw error
    },
  })
  feed(dissection, talk.packets)
  dissection.end()
  return calls
}

const lines = (talk: Conversation) =>
  dissect(talk).map(({ protocol, side, summary: { method, path, status, failure }, missing }) =>
    [protocol, side, method, path, status, failure === undefined ? undefined : '!', missing]
      .filter((part) => part !== undefined)
      .join(' '),
  )
const shown = (call: Call) => {
  const [src, dst] = call.flow.ends
  return toCallRecord(call, { src, dst }, 'n', 'file').toJSON()
}
const classic = () => new Conversation().handshake().send(0, CONNECT4).send(1, CONNACK4)
const modern = () => new Conversation().handshake().send(0, CONNECT5).send(1, CONNACK5)

describe('a refusal is a failure', () => {
  it.each([
    [4, packet(0x20, 0, 5), 'Not authorized'],
    [5, packet(0x20, 0, 0x86, 0), 'Bad User Name or Password'],
    [9, packet(0x20, 0, 1), 'Unacceptable protocol version'],
  ])('of a client of version %i', (level, connack, status) => {
    const hello = level === 5 ? CONNECT5 : connect(level)
    expect(lines(new Conversation().handshake().send(0, hello).send(1, connack).close())).toEqual([
      `mqtt 0 CONNECT ${status} !`,
    ])
  })

  it('of one subscription among several', () => {
    const talk = classic()
      .send(0, packet(0x82, 0, 1, ...text('a/b'), 1, ...text('secret/#'), 0))
      .send(1, packet(0x90, 0, 1, 1, 0x80))
    expect(lines(talk.close())[1]).toBe('mqtt 0 SUBSCRIBE a/b, secret/# Failure !')
  })

  it('of a subscription in version 5, in the words of the server', () => {
    const reason = [0x1f, ...text('not for you')]
    const talk = modern()
      .send(0, packet(0x82, 0, 1, 0, ...text('secret/#'), 0))
      .send(1, packet(0x90, 0, 1, reason.length, ...reason, 0x87))
    const [, call] = dissect(talk.close())
    expect(call.summary).toMatchObject({ status: 'Not authorized', failure: 'not for you' })
  })

  it('of a message with QoS 2, which ends there', () => {
    const talk = modern()
      .send(0, packet(0x34, ...text('a/b'), 0, 7, 0, 0x78))
      .send(1, packet(0x50, 0, 7, 0x97))
      .send(0, packet(0x34, ...text('a/b'), 0, 7, 0, 0x79))
      .send(1, packet(0x50, 0, 7))
      .send(0, packet(0x62, 0, 7))
      .send(1, packet(0x70, 0, 7))
    expect(lines(talk.close()).slice(1)).toEqual([
      'mqtt 0 PUBLISH a/b Quota exceeded !',
      'mqtt 0 PUBLISH a/b Success',
    ])
  })

  it('of a connection by the server', () => {
    expect(
      lines(
        modern()
          .send(1, packet(0xe0, 0x8e, 0))
          .close(),
      )[1],
    ).toBe('mqtt 1 DISCONNECT Session taken over !')
  })
})

describe('packets with the same id', () => {
  it('belong to the side that chose it', () => {
    const talk = classic()
      .send(0, packet(0x32, ...text('up'), 0, 1, 0x78))
      .send(1, packet(0x32, ...text('down'), 0, 1, 0x79))
      .send(0, packet(0x40, 0, 1))
      .send(1, packet(0x40, 0, 1))
    expect(lines(talk.close()).slice(1)).toEqual(['mqtt 1 PUBLISH down Success', 'mqtt 0 PUBLISH up Success'])
  })

  it('are distinguished by their kind', () => {
    const talk = classic()
      .send(0, packet(0x82, 0, 1, ...text('a'), 0))
      .send(0, packet(0x32, ...text('b'), 0, 1))
      .send(1, packet(0x40, 0, 1))
      .send(1, packet(0x90, 0, 1, 0))
    expect(lines(talk.close()).slice(1)).toEqual([
      'mqtt 0 PUBLISH b Success',
      'mqtt 0 SUBSCRIBE a Granted QoS 0',
    ])
  })
})

describe('a release', () => {
  it('of a message sent on an earlier connection is a call of its own', () => {
    expect(
      lines(
        classic()
          .send(0, packet(0x62, 0, 9))
          .send(1, packet(0x70, 0, 9))
          .close(),
      )[1],
    ).toBe('mqtt 0 PUBREL Success')
  })
})

describe('extended authentication', () => {
  const method = [0x15, ...text('SCRAM')]
  const proof = [...method, 0x16, ...text('topsecret')]
  const auth = (reason: number) => packet(0xf0, reason, proof.length, ...proof)

  it('is emitted step by step, without credentials', () => {
    const calls = dissect(
      new Conversation()
        .handshake()
        .send(0, connect(5, proof.length, ...proof))
        .send(1, auth(0x18))
        .send(0, auth(0x18))
        .send(1, CONNACK5)
        .send(0, auth(0x19))
        .send(1, auth(0))
        .close(),
    )
    expect(calls.map(({ summary: { method: name, status } }) => `${name} ${status}`)).toEqual([
      'AUTH Continue authentication',
      'AUTH Continue authentication',
      'CONNECT Success',
      'AUTH Success',
    ])
    expect(JSON.stringify(calls.map(shown))).not.toContain('topsecret')
    for (const { request, response } of calls)
      for (const half of [request, response])
        expect(Buffer.from(half?.head ?? []).includes('topsecret')).toBe(false)
  })
})

describe('a password', () => {
  it.each([0, 1, 3])('is nowhere in the call, even if %i of its last bytes are lost', (missing) => {
    const whole = packet(
      0x10,
      ...text('MQTT'),
      4,
      0xc2,
      0,
      60,
      ...text('me'),
      ...text('bob'),
      ...text('topsecret'),
    )
    const [call] = dissect(
      new Conversation()
        .handshake()
        .send(0, whole.subarray(0, whole.length - missing))
        .close(),
    )
    expect(shown(call).mqtt).toMatchObject({ client_id: 'me', user: 'bob' })
    expect(Buffer.from(call.request?.head ?? []).includes('tops')).toBe(false)
  })
})

describe('from the middle of a connection', () => {
  const joined = () => new Conversation()

  it('messages to a subscriber are recognised, and who is the server', () => {
    const message = packet(0x32, ...text('home/kitchen'), 0, 5, 0x78)
    expect(
      lines(
        joined()
          .send(0, message)
          .send(1, packet(0x40, 0, 5))
          .close(),
      ),
    ).toEqual([expect.stringMatching(/^mqtt \d PUBLISH home\/kitchen Success$/)])
  })

  it('properties are distinguished from a payload', () => {
    const properties = [3, ...text('text/plain')]
    const message = packet(0x30, ...text('home/kitchen'), properties.length, ...properties, 0x78)
    const [call] = dissect(joined().send(0, message).close())
    expect(Buffer.from(call.request?.body ?? []).toString()).toBe('x')
    expect(shown(call).mqtt).toMatchObject({ version: '5.0', content_type: 'text/plain' })
  })
})

describe('topic aliases', () => {
  const alias = (topic: string, number: number) => packet(0x30, ...text(topic), 3, 0x23, 0, number, 0x78)

  it('belong to one direction', () => {
    const talk = modern()
      .send(0, alias('a/one', 1))
      .send(1, alias('b/one', 1))
      .send(0, alias('', 1))
      .send(1, alias('', 1))
      .send(0, alias('', 2))
    expect(lines(talk.close()).slice(1)).toEqual([
      'mqtt 0 PUBLISH a/one',
      'mqtt 1 PUBLISH b/one',
      'mqtt 0 PUBLISH a/one',
      'mqtt 1 PUBLISH b/one',
      'mqtt 0 PUBLISH',
    ])
  })
})
