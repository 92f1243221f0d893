import { Conversation, feed } from '@tapdeck/wire/testing'
import { describe, expect, it } from 'vitest'
import { toCallRecord } from '../../call/engine-call.ts'
import type { Call } from '../../contract/call.ts'
import { Dissection } from '../../dissection.ts'

const talk = () => new Conversation({ serverPort: 25 }).handshake().send(1, '220 mx.example ESMTP\r\n')

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

describe('a message', () => {
  const deliver = (text: string) =>
    talk()
      .send(0, 'MAIL FROM:<ann@a.example>\r\nRCPT TO:<bob@b.example>\r\nDATA\r\n')
      .send(1, '250 ok\r\n250 ok\r\n354 go\r\n')
      .send(0, text)
      .send(1, '250 2.0.0 queued\r\n')
      .send(0, 'QUIT\r\n')
      .send(1, '221 bye\r\n')
      .close()

  it('is one call with its size, envelope and subject', () => {
    const text = 'Subject: hi\r\n\r\nMAIL FROM:<x@y>\r\n..\r\nbye\r\n'
    const calls = dissect(deliver(`${text}.\r\n`))
    expect(short(calls)).toEqual([
      'GREETING mx.example 220',
      'MAIL ann@a.example 250',
      'RCPT bob@b.example 250',
      'DATA 250',
      'QUIT 221',
    ])
    expect(shown(calls[3])).toMatchObject({
      request: { body_size: text.length },
      smtp: {
        from: 'ann@a.example',
        to: ['bob@b.example'],
        subject: 'hi',
        message_size: text.length,
        code: 250,
        enhanced_code: '2.0.0',
      },
    })
  })

  it('may be empty', () => expect(short(dissect(deliver('.\r\n')))).toContain('DATA 250'))

  it('longer than is kept is counted', () => {
    const calls = dissect(deliver(`${'line of text\r\n'.repeat(20_000)}.\r\n`))
    expect(calls[3].request).toMatchObject({ truncated: true, bodySize: 280_000 })
    expect(short(calls)).toContain('QUIT 221')
  })

  it('may be refused before it is sent', () => {
    const calls = dissect(
      talk()
        .send(0, 'EHLO me\r\n')
        .send(1, '250-mx.example\r\n250 SIZE\r\n')
        .send(0, 'DATA\r\n')
        .send(1, '503-no\r\n503 sender yet\r\n')
        .send(0, 'QUIT\r\n')
        .send(1, '221 bye\r\n')
        .close(),
    )
    expect(short(calls).slice(1)).toEqual(['EHLO me 250', 'DATA 503', 'QUIT 221'])
    expect(calls[2].summary.failure).toBe('503 no')
  })
})

describe('AUTH', () => {
  it('is one call, and nothing of its credentials is kept', () => {
    const calls = dissect(
      talk()
        .send(0, 'EHLO me\r\n')
        .send(1, '250 AUTH LOGIN PLAIN\r\n')
        .send(0, 'AUTH LOGIN aHVudGVyMg==\r\n')
        .send(1, '334 UGFzc3dvcmQ6\r\n')
        .send(0, 'aHVudGVyMg==\r\n')
        .send(1, '535 5.7.8 no\r\n')
        .send(0, 'aHVudGVyMg==\r\n')
        .send(1, '500 what?\r\n')
        .close(),
    )
    expect(short(calls).slice(2)).toEqual(['AUTH LOGIN 535', 'UNKNOWN 500'])
    expect(JSON.stringify(calls.map(shown))).not.toContain('aHVudGVyMg')
    for (const { request } of calls) expect(Buffer.from(request?.head ?? []).toString()).not.toContain('aHVu')
  })
})

describe('a server', () => {
  it('may refuse all clients', () => {
    const [call] = dissect(
      new Conversation({ serverPort: 25 })
        .handshake()
        .send(1, '554 no ESMTP service here\r\n')
        .send(0, 'QUIT\r\n')
        .close(),
    )
    expect(call.protocol).toBe('tcp')
    const [greeting] = dissect(
      new Conversation({ serverPort: 25 })
        .handshake()
        .send(1, '554 5.3.2 closed\r\n')
        .send(0, 'QUIT\r\n')
        .close(),
    )
    expect(greeting.summary).toMatchObject({ method: 'GREETING', status: 554, failure: '554 5.3.2 closed' })
  })

  it('that speaks of no mail is known by its client', () => {
    const calls = dissect(
      new Conversation({ serverPort: 2500 })
        .handshake()
        .send(1, '220 welcome\r\n')
        .send(0, 'HELO me\r\n')
        .send(1, '250 you\r\n')
        .close(),
    )
    expect(short(calls)).toEqual(['GREETING welcome 220', 'HELO me 250'])
  })

  it('of FTP is none of it', () => {
    const calls = dissect(
      new Conversation({ serverPort: 25 })
        .handshake()
        .send(1, '220 (vsFTPd 3.0.3)\r\n')
        .send(0, 'USER anonymous\r\n')
        .send(1, '331 password?\r\n')
        .close(),
    )
    expect(calls.map(({ protocol }) => protocol)).toEqual(['tcp'])
  })
})
