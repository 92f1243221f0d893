import { Conversation, feed } from '@tapdeck/wire/testing'
import { describe, expect, it } from 'vitest'
import { toCallRecord } from '../../call/engine-call.ts'
import { toy } from '../../conformance/toy-protocol.ts'
import type { Call } from '../../contract/call.ts'
import type { Dissector } from '../../contract/dissector.ts'
import { Dissection } from '../../dissection.ts'
import { protocols } from '../index.ts'

function dissect(talk: Conversation, more: readonly Dissector[] = []): Call[] {
  const calls: Call[] = []
  const dissection = new Dissection({
    emit: (call) => calls.push(call),
    protocols: [...Object.values(protocols), ...more],
    fault: (error) => {
      throw error
    },
  })
  feed(dissection, talk.packets)
  dissection.end()
  return calls
}

const talk = () => new Conversation().handshake()
const short = (calls: readonly Call[]) =>
  calls.map(({ summary: { method, path, status }, missing }) =>
    [method, path, status, missing].filter((x) => x !== undefined).join(' '),
  )
const shown = (call: Call) => {
  const [src, dst] = call.flow.ends
  return toCallRecord(call, { src, dst }, 'n', 'file').toJSON()
}

describe('a response has a body', () => {
  const OK = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n'

  it('unless it answers HEAD', () => {
    const calls = dissect(
      talk()
        .send(0, 'HEAD /a HTTP/1.1\r\n\r\n')
        .send(1, OK)
        .send(0, 'GET /b HTTP/1.1\r\n\r\n')
        .send(1, `${OK}hello`)
        .close(),
    )
    expect(short(calls)).toEqual(['HEAD /a 200', 'GET /b 200'])
    expect(calls[1].response?.body).toHaveLength(5)
  })

  it.each(['204 No Content', '304 Not Modified'])('unless it is %s', (status) => {
    const calls = dissect(
      talk()
        .send(0, 'GET /a HTTP/1.1\r\n\r\nGET /b HTTP/1.1\r\n\r\n')
        .send(1, `HTTP/1.1 ${status}\r\nContent-Length: 5\r\n\r\n${OK}hello`)
        .close(),
    )
    expect(short(calls)).toEqual([`GET /a ${status.slice(0, 3)}`, 'GET /b 200'])
  })

  it('until the end where nothing says how long it is', () => {
    const [call] = dissect(
      talk()
        .send(0, 'GET / HTTP/1.0\r\n\r\n')
        .send(1, 'HTTP/1.0 200 OK\r\n\r\nall of')
        .send(1, ' it')
        .close(1),
    )
    expect(shown(call).response).toMatchObject({ body: 'all of it', body_size: 9 })
    expect(call.response?.truncated).toBeUndefined()
  })

  it('which may be empty', () => {
    const [call] = dissect(
      talk().send(0, 'GET / HTTP/1.0\r\n\r\n').send(1, 'HTTP/1.0 200 OK\r\n\r\n').close(1),
    )
    expect(shown(call).response).toMatchObject({ status: 200, body_size: 0 })
  })

  it('which the end of the connection may cut', () => {
    const [call] = dissect(talk().send(0, 'GET / HTTP/1.1\r\n\r\n').send(1, `${OK}he`).reset(1))
    expect(shown(call).response).toMatchObject({ body: 'he', body_size: 2, truncated: true })
  })

  it('in chunks, with extensions and trailers', () => {
    const chunks = '4;a=b\r\nwiki\r\n5\r\npedia\r\n0\r\nX-Sum: 9\r\n\r\n'
    const calls = dissect(
      talk()
        .send(0, 'GET /a HTTP/1.1\r\n\r\n')
        .send(1, `HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n${chunks}`)
        .send(0, 'GET /b HTTP/1.1\r\n\r\n')
        .send(1, `${OK}hello`)
        .close(),
    )
    expect(shown(calls[0]).response).toMatchObject({
      body: 'wikipedia',
      body_size: 9,
      trailers: { 'x-sum': '9' },
    })
    expect(short(calls)).toEqual(['GET /a 200', 'GET /b 200'])
  })

  it('whose chunks win over a length, which is noted', () => {
    const [call] = dissect(
      talk()
        .send(
          0,
          'POST / HTTP/1.1\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nhi\r\n0\r\n\r\n',
        )
        .send(1, OK)
        .close(),
    )
    expect(shown(call).request).toMatchObject({
      body: 'hi',
      ambiguous: 'transfer-encoding and content-length',
    })
  })
})

describe('a request', () => {
  it('may be answered before it is all there', () => {
    const calls = dissect(
      talk()
        .send(0, 'POST /up HTTP/1.1\r\nContent-Length: 1000\r\n\r\nsome of it')
        .send(1, 'HTTP/1.1 413 Too Large\r\nContent-Length: 0\r\n\r\n')
        .close(1),
    )
    expect(short(calls)).toEqual(['POST /up 413'])
    expect(calls[0].request).toMatchObject({ truncated: true, size: 53 })
    expect(calls[0].request?.bodySize).toBeUndefined()
  })

  it('may get 100 Continue, which its response notes', () => {
    const [call] = dissect(
      talk()
        .send(0, 'POST /up HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 2\r\n\r\n')
        .send(1, 'HTTP/1.1 100 Continue\r\n\r\n')
        .send(0, 'hi')
        .send(1, 'HTTP/1.1 201 Made\r\nContent-Length: 0\r\n\r\n')
        .close(),
    )
    const full = shown(call)
    expect(full).toMatchObject({ status: 201, request: { body: 'hi' }, response: { informational: [100] } })
    expect(full.ttfb_ms).toBeGreaterThanOrEqual(0)
    expect(call.response?.start).toBeGreaterThan(call.request?.end ?? 0)
  })

  it('has its path without host and query', () => {
    const paths = ['/a?b#c', 'http://host/a/b?c', 'http://host', 'http://host?q=1', '*', '/%20%C3%A9']
    const calls = dissect(
      talk()
        .send(0, paths.map((path) => `GET ${path} HTTP/1.1\r\n\r\n`).join(''))
        .close(),
    )
    expect(calls.map(({ summary }) => summary.path)).toEqual(['/a', '/a/b', '/', '/', '*', '/%20%C3%A9'])
  })
})

describe('an answer that is not HTTP', () => {
  it.each([
    ['SSH-2.0-OpenSSH_9.6\r\n'],
    ['\u0015\u0003\u0001\u0000\u0002\u0002F'],
    ['hello world, and more\n'],
  ])('such as %j leaves the request as a call', (answer) => {
    const calls = dissect(talk().send(0, 'GET /a HTTP/1.1\r\nHost: shop\r\n\r\n').send(1, answer).close())
    expect(short(calls)).toEqual(['GET /a malformed_response'])
    expect(shown(calls[0]!)).toMatchObject({ proto: 'http', error: 'malformed_response' })
  })

  it('leaves the calls before it as they are', () => {
    const calls = dissect(
      talk()
        .send(0, 'GET /a HTTP/1.1\r\n\r\n')
        .send(1, 'HTTP/1.1 204 No Content\r\n\r\n')
        .send(0, 'GET /b HTTP/1.1\r\n\r\n')
        .send(1, 'what?\r\n')
        .close(),
    )
    expect(short(calls)).toEqual(['GET /a 204', 'GET /b malformed_response'])
  })
})

describe('a connection goes on in another protocol', () => {
  it('after CONNECT, whatever it is', () => {
    const calls = dissect(
      talk()
        .send(0, 'CONNECT db:1 HTTP/1.1\r\n\r\n')
        .send(1, 'HTTP/1.1 200 Established\r\n\r\n')
        .send(0, 'GET /inside HTTP/1.1\r\n\r\n')
        .send(1, 'HTTP/1.1 204 No\r\n\r\n')
        .close(),
    )
    expect(short(calls)).toEqual(['CONNECT db:1 200', 'GET /inside 204'])
  })

  it('after 101, with what was sent ahead', () => {
    const upgraded = { ...toy, name: 'websocket' }
    const calls = dissect(
      talk()
        .send(0, 'GET /chat HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\ntoy ! early\n')
        .send(1, 'HTTP/1.1 101 Switching\r\nUpgrade: WebSocket\r\n\r\ntoy ! welcome\n')
        .send(0, 'toy ! late\n')
        .close(),
      [upgraded],
    )
    expect(calls.map(({ protocol, summary }) => `${protocol} ${summary.path}`)).toEqual([
      'http /chat',
      'websocket welcome',
      'websocket early',
      'websocket late',
    ])
  })

  it('unless the server declines', () => {
    const calls = dissect(
      talk()
        .send(0, 'GET /a HTTP/1.1\r\nUpgrade: h2c\r\n\r\nGET /b HTTP/1.1\r\n\r\n')
        .send(1, 'HTTP/1.1 204 No\r\n\r\nHTTP/1.1 404 No\r\nContent-Length: 0\r\n\r\n')
        .close(),
    )
    expect(short(calls).sort()).toEqual(['GET /a 204', 'GET /b 404'])
  })
})

describe('lost packets', () => {
  it('cost little of a long connection', () => {
    const long = talk()
    for (let i = 0; i < 300; i++)
      long
        .send(0, `GET /${i} HTTP/1.1\r\n\r\n`)
        .send(1, `HTTP/1.1 200 OK\r\nContent-Length: 3000\r\n\r\n${'x'.repeat(3000)}`)
    const kept = long.packets.filter((_, index) => index % 97 !== 50)
    const calls: Call[] = []
    const dissection = new Dissection({ emit: (call) => calls.push(call) })
    feed(dissection, kept)
    dissection.end()
    const whole = calls.filter(({ request, response }) => request !== undefined && response !== undefined)
    // Each request asks for its own number: a response that went to another would show in its time.
    expect(whole.every(({ request, response }) => (response?.start ?? 0) - (request?.end ?? 0) <= 1000)).toBe(
      true,
    )
    expect(whole.length).toBeGreaterThan(300 - 2 * (long.packets.length - kept.length))
  })
})

it('empty lines after a body are not the beginning of the next message', () => {
  const odd = talk()
    .send(0, 'GET /a HTTP/1.1\r\nHost: shop\r\n\r\n')
    .send(1, 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok\r\n')
    .wait(500_000)
    .send(0, 'GET /b HTTP/1.1\r\nHost: shop\r\n\r\n')
    .wait(300_000)
    .send(1, 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
  const [, second] = dissect(odd.close())
  expect(second.response!.start! - second.request!.end!).toBeGreaterThanOrEqual(300_000)
  expect(second.response!.size).toBe(40)
})

describe('a request with a target that no target may be', () => {
  const BAD = 'HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n'

  it.each([
    ['a blank', '/a b?q=1 2', '/a b'],
    ['several blanks', '/a  b c', '/a  b c'],
    ['a tab', '/a\tb', '/a\tb'],
    ['a control character', '/a\u0000b\u0001', '/a\u0000b\u0001'],
    ['a delete character', '/a\u007fb', '/a\u007fb'],
    ['a version in it', '/a HTTP/1.1 x', '/a HTTP/1.1 x'],
  ])('such as %s is one call with its answer, and marked', (_, target, path) => {
    const request = `GET ${target} HTTP/1.1\r\nHost: shop\r\n\r\n`
    for (const pieces of [[request], [...request]]) {
      const asked = pieces.reduce((at, piece) => at.send(0, piece), talk())
      const calls = dissect(asked.send(1, BAD).send(0, 'GET /b HTTP/1.1\r\n\r\n').send(1, BAD).close())
      expect(short(calls)).toEqual([`GET ${path} 400`, 'GET /b 400'])
      expect(shown(calls[0]!).request).toMatchObject({
        path,
        url: `http://shop${target}`,
        http_version: '1.1',
        malformed: 'blanks or control characters in the target',
        headers: { host: 'shop' },
      })
      expect(shown(calls[1]!).request).not.toHaveProperty('malformed')
    }
  })

  it('is none where another protocol has the word', () => {
    const calls = dissect(talk().send(0, 'GET /key with blanks\r\n').send(1, '$-1\r\n').close())
    expect(calls.map(({ protocol }) => protocol)).not.toContain('http')
  })
})
