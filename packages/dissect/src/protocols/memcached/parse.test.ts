import { Conversation, feed } from '@tapdeck/wire/testing'
import { describe, expect, it } from 'vitest'
import { toCallRecord } from '../../call/engine-call.ts'
import type { Call } from '../../contract/call.ts'
import { Dissection } from '../../dissection.ts'

const talk = () => new Conversation({ serverPort: 11211 }).handshake()

function dissect({ packets }: Conversation): Call[] {
  const calls: Call[] = []
  const dissection = new Dissection({
    emit: (call) => calls.push(call),
    fault: (error) => {
      throw error
    },
  })
  feed(dissection, packets)
  dissection.end()
  return calls
}

const short = (calls: readonly Call[]) =>
  calls.map(({ summary: { method, path, status }, missing }) =>
    [method, path, status, missing].filter((part) => part !== undefined).join(' '),
  )
const shown = (call: Call) => {
  const [src, dst] = call.flow.ends
  return toCallRecord(call, { src, dst }, 'n', 'file').toJSON()
}

/** A message of the binary protocol. */
function packet(magic: number, opcode: number, opaque: number, key = '', value = '', status = 0): Uint8Array {
  const bytes = new Uint8Array(24 + key.length + value.length)
  const view = new DataView(bytes.buffer)
  bytes[0] = magic
  bytes[1] = opcode
  view.setUint16(2, key.length)
  view.setUint16(6, status)
  view.setUint32(8, key.length + value.length)
  view.setUint32(12, opaque)
  bytes.set(new TextEncoder().encode(key + value), 24)
  return bytes
}

describe('text', () => {
  it('is refused before all of it was sent', () => {
    const calls = dissect(
      talk()
        .send(0, `set big 0 0 3000\r\n${'x'.repeat(1000)}`)
        .send(1, 'SERVER_ERROR object too large for cache\r\n')
        .send(0, `${'x'.repeat(2000)}\r\nget a\r\n`)
        .send(1, 'END\r\n')
        .close(),
    )
    expect(short(calls)).toEqual(['set big SERVER_ERROR', 'get a END'])
    expect(calls[0].summary.failure).toBe('SERVER_ERROR object too large for cache')
    expect(calls[0].request?.body).toHaveLength(3000)
  })

  it('may hold lines that look like answers in a value', () => {
    const value = 'END\r\nSTORED\r\n'
    const calls = dissect(
      talk()
        .send(0, 'get a b\r\nget c\r\n')
        .send(1, `VALUE a 0 ${value.length}\r\n${value}\r\nVALUE b 0 0\r\n\r\nEND\r\nEND\r\n`)
        .close(),
    )
    expect(short(calls)).toEqual(['get a VALUE', 'get c END'])
    expect(shown(calls[0]).memcached).toMatchObject({ keys: ['a', 'b'], hits: 2, value_size: value.length })
  })

  it('without an answer is a call alone', () => {
    const calls = dissect(talk().send(0, 'delete a noreply\r\nincr b 1\r\n').send(1, 'NOT_FOUND\r\n').close())
    expect(short(calls)).toEqual(['delete a', 'incr b NOT_FOUND'])
  })
})

describe('a quiet command', () => {
  it('that got no answer is recognised by the answer of a later one', () => {
    const calls = dissect(
      talk()
        .send(0, 'mg a v q\r\nms b 1 q\r\nx\r\nmg c v q\r\nmn\r\n')
        .send(1, 'VA 1\r\nC\r\nMN\r\n')
        .close(),
    )
    expect(short(calls)).toEqual(['mg a VA', 'ms b HD', 'mg c EN', 'mn MN'])
  })

  it('of the binary protocol is paired by its opaque', () => {
    const calls = dissect(
      talk()
        .send(0, packet(0x80, 9, 1, 'a'))
        .send(0, packet(0x80, 9, 2, 'b'))
        .send(0, packet(0x80, 10, 3))
        .send(1, packet(0x81, 9, 2, '', 'B'))
        .send(1, packet(0x81, 10, 3))
        .close(),
    )
    expect(short(calls)).toEqual(['getq a KEY_NOT_FOUND', 'getq b OK', 'noop OK'])
  })
})

describe('secrets', () => {
  it('of SASL are not kept', () => {
    const [call] = dissect(
      talk()
        .send(0, packet(0x80, 33, 1, 'PLAIN', '\0ann\0hunter2'))
        .send(1, packet(0x81, 33, 1, '', 'Auth failure.', 32))
        .close(),
    )
    expect(call.summary).toMatchObject({ method: 'sasl_auth', path: 'PLAIN', status: 'AUTH_ERROR' })
    expect(call.request?.body).toBeUndefined()
    expect(JSON.stringify(shown(call))).not.toContain('hunter2')
  })
})
