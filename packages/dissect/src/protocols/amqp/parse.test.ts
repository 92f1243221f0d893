import { be16, be32, Conversation, concat, feed } from '@tapdeck/wire/testing'
import { describe, expect, it } from 'vitest'
import { toCallRecord } from '../../call/engine-call.ts'
import type { Call } from '../../contract/call.ts'
import { Dissection } from '../../dissection.ts'

const bytes = (...values: number[]) => Uint8Array.from(values)
const short = (value: string) => concat(bytes(value.length), Buffer.from(value))
const frame = (type: number, channel: number, ...parts: Uint8Array[]) => {
  const payload = concat(...parts)
  return concat(bytes(type), be16(channel), be32(payload.length), payload, bytes(0xce))
}
const method = (channel: number, classId: number, id: number, ...parts: Uint8Array[]) =>
  frame(1, channel, be16(classId), be16(id), ...parts)
const HEADER = concat(Buffer.from('AMQP'), bytes(0, 0, 9, 1))
const declare = (queue: string, flags = 0, channel = 1) =>
  method(channel, 50, 10, be16(0), short(queue), bytes(flags), be32(0))
const declareOk = (queue: string, channel = 1) => method(channel, 50, 11, short(queue), be32(0), be32(0))
const publish = (key: string, size: number, channel = 1) =>
  concat(
    method(channel, 60, 40, be16(0), short(''), short(key), bytes(0)),
    frame(2, channel, be16(60), be16(0), be32(0), be32(size), be16(0)),
  )
const body = (text: string, channel = 1) => frame(3, channel, Buffer.from(text))
const close = (classId: number, code: number, channel = 1) =>
  method(channel, classId, classId === 10 ? 50 : 40, be16(code), short('WHY'), be16(0), be16(0))

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
const line = ({ protocol, side, summary, missing, request }: Call) =>
  [
    ...[protocol, side, summary.method, summary.path, summary.status],
    ...[summary.failure === undefined ? undefined : '!', missing],
    request?.body === undefined ? undefined : `"${Buffer.from(request.body).toString()}"`,
  ]
    .filter((part) => part !== undefined)
    .join(' ')
const lines = (talk: Conversation) =>
  dissect(talk)
    .map(line)
    .filter((one) => !one.includes('protocol-header'))
const talk = () => new Conversation().handshake().send(0, HEADER)
const shown = (call: Call) => {
  const [src, dst] = call.flow.ends
  return toCallRecord(call, { src, dst }, 'n', 'file').toJSON()
}

describe('methods of 0-9-1', () => {
  it('find their answers on their own channel', () => {
    const said = talk()
      .send(0, concat(declare('a', 0, 1), declare('b', 0, 2)))
      .send(1, concat(declareOk('b', 2), declareOk('a', 1)))
    expect(lines(said.close())).toEqual(['amqp 0 queue.declare b ok', 'amqp 0 queue.declare a ok'])
  })

  it('that want no answer do not wait for one', () => {
    const said = talk()
      .send(0, concat(declare('silent', 16), declare('loud')))
      .send(1, declareOk('loud'))
    expect(lines(said.close())).toEqual(['amqp 0 queue.declare silent', 'amqp 0 queue.declare loud ok'])
  })

  it('fail where the channel is closed instead, and the close is a call of its own, answered or not', () => {
    const said = talk()
      .send(0, concat(declare('a'), declare('other', 0, 2)))
      .send(1, close(20, 404))
      .send(0, method(1, 20, 41))
      .send(1, declareOk('other', 2))
      .send(1, close(10, 320, 0))
    expect(lines(said.close())).toEqual([
      'amqp 0 queue.declare a 404 !',
      'amqp 1 channel.close 404 !',
      'amqp 0 queue.declare other ok',
      'amqp 1 connection.close 320 !',
    ])
  })

  it('are no failure where a channel is closed in peace', () => {
    expect(
      lines(
        talk()
          .send(0, close(20, 200))
          .send(1, method(1, 20, 41))
          .close(),
      ),
    ).toEqual(['amqp 0 channel.close ok'])
  })

  it('of the broker that refuse what was published are failures, those of a client are not', () => {
    const nack = method(1, 60, 120, be32(0), be32(1), bytes(0))
    expect(lines(talk().send(0, nack).send(1, nack).close())).toEqual([
      'amqp 0 basic.nack',
      'amqp 1 basic.nack !',
    ])
  })
})

describe('contents of 0-9-1', () => {
  it('come in pieces between those of other channels', () => {
    const said = talk()
      .send(
        0,
        concat(publish('one', 6, 1), body('abc', 1), publish('two', 2, 2), body('xy', 2), body('def', 1)),
      )
      .send(0, publish('empty', 0))
    expect(lines(said.close())).toEqual([
      'amqp 0 basic.publish two "xy"',
      'amqp 0 basic.publish one "abcdef"',
      'amqp 0 basic.publish empty',
    ])
  })

  it('that never end are emitted as far as they came', () => {
    const calls = dissect(
      talk()
        .send(0, concat(publish('one', 6), body('abc'), publish('two', 1)))
        .close(),
    )
    expect(calls.map(line).slice(1)).toEqual(['amqp 0 basic.publish one "abc"', 'amqp 0 basic.publish two'])
    expect(calls[1].request).toMatchObject({ truncated: true, bodySize: 6 })
  })
})

describe('secrets', () => {
  const startOk = (mechanism: string, response: Uint8Array) =>
    method(0, 10, 11, be32(0), short(mechanism), be32(response.length), response, short('en_US'))
  const start = method(0, 10, 10, bytes(0, 9), be32(0), be32(0), be32(0))
  const hidden = (call: Call) => {
    for (const half of [call.request, call.response])
      expect(Buffer.from(half?.head ?? []).includes('topsecret')).toBe(false)
    return shown(call).amqp
  }

  it.each([
    ['PLAIN', concat(Buffer.from('\0bob\0topsecret'))],
    [
      'AMQPLAIN',
      concat(
        ...[short('LOGIN'), Buffer.from('S'), be32(3), Buffer.from('bob')],
        ...[short('PASSWORD'), Buffer.from('S'), be32(9), Buffer.from('topsecret')],
      ),
    ],
  ])('of %s are hidden; the user is shown', (mechanism, response) => {
    const [, call] = dissect(talk().send(1, start).send(0, startOk(mechanism, response)).close())
    expect(hidden(call)).toMatchObject({ method: 'connection.start', user: 'bob' })
  })

  it('are hidden even where the packet is cut', () => {
    const whole = startOk('PLAIN', Buffer.from('\0bob\0topsecret'))
    const [, call] = dissect(
      talk()
        .send(1, start)
        .send(0, whole.subarray(0, whole.length - 8))
        .close(),
    )
    hidden(call)
  })
})

describe('versions', () => {
  it('that the server does not speak are refused', () => {
    const old = concat(Buffer.from('AMQP'), bytes(1, 1, 0, 9))
    expect(dissect(new Conversation().handshake().send(0, old).send(1, HEADER).close()).map(line)).toEqual([
      'amqp 0 protocol-header',
      'amqp 1 protocol-header refused !',
    ])
    const modern = concat(Buffer.from('AMQP'), bytes(3, 1, 0, 0))
    expect(dissect(new Conversation().handshake().send(0, modern).send(1, HEADER).close()).map(line)).toEqual(
      ['amqp 0 protocol-header refused !'],
    )
  })
})

describe('from the middle of a connection', () => {
  it('frames are recognised, and who is the client', () => {
    expect(lines(new Conversation().send(1, declare('a')).send(0, declareOk('a')).close())).toEqual([
      'amqp 0 queue.declare a ok',
    ])
  })
})

describe('performatives of 1.0', () => {
  const said = (code: number, channel: number, ...fields: Uint8Array[]) => {
    const list = concat(...fields)
    const performative = concat(bytes(0, 0x53, code, 0xc0, list.length + 1, fields.length), list)
    return concat(be32(performative.length + 8), bytes(2, 0), be16(channel), performative)
  }
  const NULL = bytes(0x40)
  const uint = (value: number) => bytes(0x52, value)
  const string = (value: string) => concat(bytes(0xa1), short(value))
  const error = (text: string) => {
    const list = concat(bytes(0xa3), short(text))
    return concat(bytes(0, 0x53, 0x1d, 0xc0, list.length + 1, 1), list)
  }
  const terminus = (code: number, address: string) => {
    const list = string(address)
    return concat(bytes(0, 0x53, code, 0xc0, list.length + 1, 1), list)
  }
  const GREETING = concat(Buffer.from('AMQP'), bytes(0, 1, 0, 0))
  const greeted = () => new Conversation().handshake().send(0, GREETING).send(1, GREETING)
  const attach = (name: string, handle: number, role: number) =>
    said(
      18,
      0,
      string(name),
      uint(handle),
      bytes(role),
      NULL,
      NULL,
      terminus(0x28, 'from'),
      terminus(0x29, 'to'),
    )
  const transfer = (handle: number, id: number, settled: number) =>
    said(20, 0, uint(handle), uint(id), NULL, NULL, bytes(settled))

  it('are answered by their like, sessions by channel, links by name, transfers by range', () => {
    const talked = greeted()
      .send(0, concat(said(16, 0, string('me')), said(17, 0, NULL, uint(0))))
      .send(1, concat(said(16, 0, string('you')), said(17, 5, bytes(0x60, 0, 0), uint(0))))
      .send(0, attach('link', 0, 0x42))
      .send(1, attach('link', 3, 0x41))
      .send(0, concat(transfer(0, 0, 0x42), transfer(0, 1, 0x42), transfer(0, 2, 0x41)))
      .send(1, said(21, 5, bytes(0x41), uint(0), uint(1), bytes(0x41), bytes(0, 0x53, 0x24, 0x45)))
      .send(0, said(24, 0))
      .send(1, said(24, 0))
    expect(lines(talked.close())).toEqual([
      'amqp 0 open ok',
      'amqp 0 begin ok',
      'amqp 0 attach to ok',
      'amqp 0 transfer to',
      'amqp 0 transfer to ok',
      'amqp 0 transfer to ok',
      'amqp 0 close ok',
    ])
  })

  it('that wait in a session fail with it', () => {
    const talked = greeted()
      .send(0, concat(said(17, 0, NULL, uint(0)), attach('link', 0, 0x42)))
      .send(1, concat(said(17, 0, bytes(0x60, 0, 0), uint(0)), said(23, 0, error('amqp:not-found'))))
      .send(0, said(23, 0))
    expect(lines(talked.close())).toEqual([
      'amqp 0 begin ok',
      'amqp 0 attach to amqp:not-found !',
      'amqp 1 end amqp:not-found !',
    ])
  })
})
