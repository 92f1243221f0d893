import { Conversation, feed } from '@tapdeck/wire/testing'
import { describe, expect, it } from 'vitest'
import { toCallRecord } from '../../call/engine-call.ts'
import type { Call } from '../../contract/call.ts'
import { Dissection } from '../../dissection.ts'

const talk = () => new Conversation({ serverPort: 4222 }).handshake()
const INFO = 'INFO {"server_id":"x","headers":true}\r\n'

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
  calls.map(({ summary: { method, path, status, failure }, missing }) =>
    [method, path, status, failure, missing].filter((part) => part !== undefined).join(' '),
  )
const shown = (call: Call) => {
  const [src, dst] = call.flow.ends
  return toCallRecord(call, { src, dst }, 'n', 'file').toJSON()
}

describe('an acknowledgement', () => {
  it('comes to each line of a verbose client', () => {
    const calls = dissect(
      talk()
        .send(1, INFO)
        .send(0, 'CONNECT {"verbose":true}\r\nPUB a 1\r\nx\r\nSUB b 1\r\nPING\r\n')
        .send(1, "+OK\r\n-ERR 'Permissions Violation'\r\n+OK\r\nPONG\r\n")
        .close(),
    )
    expect(short(calls)).toEqual([
      'INFO',
      'CONNECT OK',
      'PUB a ERR Permissions Violation',
      'SUB b OK',
      'PING OK',
    ])
  })

  it('of CONNECT is what follows it where the client is not verbose', () => {
    const calls = dissect(
      talk()
        .send(1, INFO)
        .send(0, 'CONNECT {"verbose":false}\r\nPING\r\n')
        .send(1, 'PONG\r\n')
        .send(0, 'PUB a 1\r\nx\r\n')
        .send(1, "-ERR 'Slow Consumer'\r\n")
        .close(),
    )
    expect(short(calls)).toEqual(['INFO', 'CONNECT OK', 'PING OK', 'PUB a', '-ERR ERR Slow Consumer'])
  })

  it('comes to the server, too', () => {
    const calls = dissect(talk().send(1, `${INFO}PING\r\n`).send(0, 'PONG\r\n').close())
    expect(short(calls)).toEqual(['INFO', 'PING OK'])
    expect(calls[1].side).toBe(1)
  })
})

describe('a message', () => {
  it('may have headers, and lines in it that look like operations', () => {
    const headers = 'NATS/1.0\r\nA: 1\r\n\r\n'
    const payload = 'PING\r\nMSG'
    const calls = dissect(
      talk()
        .send(1, INFO)
        .send(
          1,
          `HMSG s.t 7 answer.here ${headers.length} ${headers.length + payload.length}\r\n${headers}${payload}\r\n`,
        )
        .close(),
    )
    expect(short(calls)).toEqual(['INFO', 'HMSG s.t'])
    expect(shown(calls[1])).toMatchObject({
      request: { headers: { a: '1' }, body: payload },
      nats: { subject: 's.t', sid: '7', reply_to: 'answer.here', payload_size: payload.length },
    })
  })

  it('in the middle of a connection makes it known', () => {
    const late = new Conversation({ serverPort: 9999 })
      .send(1, 'MSG a.b 1 2\r\nhi\r\n')
      .send(0, 'PUB c 0\r\n\r\n')
    expect(short(dissect(late))).toEqual(['MSG a.b', 'PUB c'])
  })
})

describe('secrets', () => {
  it('of CONNECT are not kept', () => {
    const options =
      '{"user":"ann","pass" : "hun\\"ter2","auth_token":"hunter2","jwt":"hunter2","sig":"hunter2","name":"n"}'
    const calls = dissect(talk().send(1, INFO).send(0, `CONNECT ${options}\r\n`).send(1, '+OK\r\n').close())
    const kept = Buffer.from(calls[1].request?.head ?? []).toString()
    expect(kept).not.toMatch(/ter2/)
    expect(shown(calls[1]).nats).toMatchObject({ client: { user: 'ann', name: 'n' } })
  })
})
