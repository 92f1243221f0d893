import { Conversation, feed } from '@tapdeck/wire/testing'
import { describe, expect, it } from 'vitest'
import { toCallRecord } from '../../call/engine-call.ts'
import type { Call } from '../../contract/call.ts'
import { Dissection } from '../../dissection.ts'

const resp = (...args: string[]) =>
  `*${args.length}\r\n${args.map((arg) => `$${new TextEncoder().encode(arg).length}\r\n${arg}\r\n`).join('')}`
const talk = () => new Conversation({ serverPort: 6379 }).handshake()

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
  calls.map(({ protocol, summary: { method, path, status }, missing }) =>
    [protocol === 'redis' ? undefined : protocol, method, path, status, missing]
      .filter((part) => part !== undefined)
      .join(' '),
  )
const shown = (call: Call) => {
  const [src, dst] = call.flow.ends
  return toCallRecord(call, { src, dst }, 'n', 'file').toJSON()
}

describe('a reply', () => {
  it('that is an error says so by its first word', () => {
    const [call] = dissect(talk().send(0, resp('GET', 'k')).send(1, '-MOVED 3999 10.0.0.1:6381\r\n').close())
    expect(JSON.parse(JSON.stringify(call.summary))).toEqual({
      method: 'GET',
      path: 'k',
      status: 'MOVED',
      failure: 'MOVED 3999 10.0.0.1:6381',
    })
    expect(shown(call)).toMatchObject({ redis: { type: 'Error', error: 'MOVED 3999 10.0.0.1:6381' } })
  })

  it('may be a counted error, with attributes before it', () => {
    const error = '|1\r\n+key\r\n:1\r\n!21\r\nSYNTAX invalid syntax\r\n'
    const [call] = dissect(talk().send(0, resp('GET', 'k')).send(1, error).close())
    expect(call.summary).toMatchObject({ status: 'SYNTAX', failure: 'SYNTAX invalid syntax' })
  })

  it('to EXEC fails with the first command that failed in it', () => {
    const failed = '-WRONGTYPE Operation against a key holding the wrong kind of value'
    const replies = [
      `*3\r\n*1\r\n-NOSCRIPT inside\r\n${failed}\r\n-ERR other\r\n`,
      '*2\r\n$9\r\n-ERR text\r\n:1\r\n',
      '*1\r\n|1\r\n+key\r\n:1\r\n!9\r\nERR later\r\n',
      '*-1\r\n',
      '*0\r\n',
    ]
    const talks = talk()
    for (const reply of replies) talks.send(0, resp('EXEC')).send(1, reply)
    const calls = dissect(
      talks
        .send(0, resp('EVAL', 'x', '0'))
        .send(1, '*1\r\n-ERR caught\r\n')
        .close(),
    )
    expect(calls.map(({ summary }) => summary.status)).toEqual(['WRONGTYPE', 'OK', 'ERR', 'OK', 'OK', 'OK'])
    expect(calls[0].summary.failure).toBe(failed.slice(1))
    expect(shown(calls[0])).toMatchObject({
      status: 'WRONGTYPE',
      redis: { type: 'Array', error: failed.slice(1) },
    })
  })

  it('to EXEC that is longer than what is kept of it fails with what is there', () => {
    const long = `$90000\r\n${'x'.repeat(90_000)}\r\n`
    const calls = dissect(
      talk()
        .send(0, resp('EXEC'))
        .send(1, `*2\r\n${long}-ERR beyond\r\n`)
        .send(0, resp('EXEC'))
        .send(1, `*2\r\n-ERR before\r\n${long}`)
        .close(),
    )
    expect(short(calls)).toEqual(['EXEC OK', 'EXEC ERR'])
  })

  it('of many elements is kept up to a limit and counted to the end', () => {
    const list = `*30000\r\n${'$4\r\nabcd\r\n'.repeat(30_000)}`
    const calls = dissect(
      talk()
        .send(0, resp('LRANGE', 'l', '0', '-1') + resp('GET', 'k'))
        .send(1, `${list}$1\r\nv\r\n`)
        .close(),
    )
    expect(short(calls)).toEqual(['LRANGE l OK', 'GET k OK'])
    expect(calls[0].response).toMatchObject({ truncated: true, size: list.length })
    expect(shown(calls[0]).redis).toMatchObject({ type: 'Array', response_size: list.length })
  })

  it('longer than any frame is passed by', () => {
    const value = 'x'.repeat(700_000)
    const calls = dissect(
      talk()
        .send(0, resp('SET', 'k', value) + resp('GET', 'k') + resp('MGET', 'k', 'l'))
        .send(1, `+OK\r\n$${value.length}\r\n${value}\r\n*2\r\n$${value.length}\r\n${value}\r\n$-1\r\n`)
        .close(),
    )
    expect(short(calls)).toEqual(['SET k OK', 'GET k OK', 'MGET k OK'])
    expect(calls.map(({ response }) => response?.truncated)).toEqual([undefined, true, true])
  })

  it('nested without end is shown to a depth', () => {
    const [call] = dissect(
      talk()
        .send(0, resp('EVAL', 'x', '0'))
        .send(1, `${'*1\r\n'.repeat(5000)}:1\r\n`)
        .close(),
    )
    expect(call.summary.status).toBe('OK')
    expect(JSON.stringify(shown(call)).length).toBeLessThan(2000)
  })
})

describe('a push', () => {
  it('is an event of the server, between replies', () => {
    const calls = dissect(
      talk()
        .send(0, resp('SUBSCRIBE', 'a', 'b'))
        .send(1, '*3\r\n$9\r\nsubscribe\r\n$1\r\na\r\n:1\r\n')
        .send(1, '*3\r\n$7\r\nmessage\r\n$1\r\na\r\n$2\r\nhi\r\n*3\r\n$9\r\nsubscribe\r\n$1\r\nb\r\n:2\r\n')
        .send(0, resp('PING'))
        .send(1, '*2\r\n$4\r\npong\r\n$0\r\n\r\n')
        .close(),
    )
    expect(short(calls)).toEqual(['MESSAGE a', 'SUBSCRIBE a OK', 'PING OK'])
    expect(calls.map(({ side }) => side)).toEqual([1, 0, 0])
  })

  it('is distinguished from a list that only looks like one', () => {
    const calls = dissect(
      talk()
        .send(0, resp('LRANGE', 'l', '0', '2'))
        .send(1, '*3\r\n$7\r\nmessage\r\n$1\r\na\r\n$2\r\nhi\r\n')
        .close(),
    )
    expect(short(calls)).toEqual(['LRANGE l OK'])
  })

  it('leaves a refused SUBSCRIBE to its error', () => {
    const calls = dissect(
      talk()
        .send(0, resp('SUBSCRIBE', 'a'))
        .send(1, '-NOPERM no\r\n')
        .send(0, resp('SUBSCRIBE', 'b', 'c'))
        .send(1, '*3\r\n$9\r\nsubscribe\r\n$1\r\nb\r\n:1\r\n*3\r\n$9\r\nsubscribe\r\n$1\r\nc\r\n:2\r\n')
        .close(),
    )
    expect(short(calls)).toEqual(['SUBSCRIBE a NOPERM', 'SUBSCRIBE b OK'])
  })
})

describe('a connection joined in the middle', () => {
  it('is known by a reply, and who is who', () => {
    const late = new Conversation({ clientPort: 6379, serverPort: 40000 })
      .send(0, '$5\r\nhello\r\n')
      .send(1, resp('GET', 'k'))
      .send(0, '-ERR no\r\n')
    const calls = dissect(late)
    expect(short(calls)).toEqual(['OK midstream', 'GET k ERR'])
    expect(calls[1].flow.ends[calls[1].side].port).toBe(40000)
  })

  it('is known at any port', () => {
    const odd = new Conversation({ serverPort: 8080 }).handshake()
    expect(
      short(
        dissect(
          odd
            .send(0, resp('SET', 'a', 'b'))
            .send(1, '+OK\r\n')
            .close(),
        ),
      ),
    ).toEqual(['SET a OK'])
  })
})

describe('secrets', () => {
  it.each([
    [resp('AUTH', 'hunter2')],
    [resp('AUTH', 'ann', 'hunter2')],
    [resp('hello', '3', 'auth', 'ann', 'hunter2', 'SETNAME', 'x')],
    [resp('MIGRATE', 'h', '1', '', '0', '9', 'AUTH2', 'ann', 'hunter2', 'KEYS', 'a')],
    [resp('CONFIG', 'SET', 'maxmemory', '1', 'requirepass', 'hunter2')],
    [resp('ACL', 'SETUSER', 'ann', 'on', '>hunter2')],
    [resp('SENTINEL', 'SET', 'main', 'auth-pass', 'hunter2')],
    [resp('SENTINEL', 'CONFIG', 'SET', 'sentinel-pass', 'hunter2')],
    ['AUTH "hunter2"\r\n'],
  ])('are not kept of %j', (command) => {
    const calls = dissect(
      talk().send(0, command).send(1, '+OK\r\n').send(0, resp('PING')).send(1, '+PONG\r\n').close(),
    )
    expect(calls.map(({ summary }) => summary.method)).toEqual([
      /SENTINEL|AUTH|HELLO|MIGRATE|CONFIG|ACL/i.exec(command)?.[0].toUpperCase(),
      'PING',
    ])
    expect(Buffer.from(calls[0].request?.head ?? []).toString()).not.toContain('hunter2')
    expect(JSON.stringify(shown(calls[0]))).not.toContain('hunter2')
  })
})

describe('a pipeline', () => {
  it('may have twenty thousand commands under way, each with its reply', () => {
    const many = Array.from({ length: 20_000 }, (_, i) => i)
    const calls = dissect(
      talk()
        .send(0, many.map((i) => resp('GET', `k${i}`)).join(''))
        .send(1, many.map((i) => `:${i}\r\n`).join(''))
        .close(),
    )
    expect(calls).toHaveLength(20_000)
    expect(calls.filter(({ missing }) => missing !== undefined)).toEqual([])
    expect(shown(calls[19_999])).toMatchObject({ path: 'k19999', response: { body: '19999' } })
  })
})
