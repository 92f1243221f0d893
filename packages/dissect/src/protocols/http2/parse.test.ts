import { Conversation, ETHERNET, feed } from '@tapdeck/wire/testing'
import { describe, expect, it } from 'vitest'
import { builtFixture } from '../../conformance/fixture.ts'
import { type ObserveOptions, observe } from '../../conformance/observation.ts'
import type { Call } from '../../contract/call.ts'
import { Dissection } from '../../dissection.ts'
import { TYPE } from './frame.ts'
import { data, frame, get, headers, joined, literal, post, preface, settings } from './frame-builder.ts'

type Talk = (talk: Conversation) => unknown

/** The calls of one connection that begins like every one. */
function calls(say: Talk, options: ObserveOptions = {}) {
  const talk = new Conversation({ serverPort: 9999 }).handshake().send(0, preface).send(1, settings)
  say(talk)
  const { events } = builtFixture('built', new URL(import.meta.url), talk.close().packets)
  const { calls: seen, faults } = observe(events, options)
  expect(faults).toEqual([])
  return seen
}

const ok = (stream: number, more: Readonly<Record<string, string>> = {}, flags = 4) =>
  headers(stream, { ':status': '200', ...more }, flags)

describe('a stream', () => {
  it('is a call of http, whatever else is under way', () => {
    const seen = calls((talk) =>
      talk
        .send(0, joined(get(1, '/a?x=1'), get(3, '/b')))
        .send(1, joined(ok(3), ok(1), data(3, 'b'), data(1, 'a1'), data(3, 'B', true), data(1, 'a2', true))),
    )
    expect(seen).toMatchObject([
      { proto: 'http', method: 'GET', path: '/b', status: 200, response: { body: 'bB', body_size: 2 } },
      {
        proto: 'http',
        method: 'GET',
        path: '/a',
        status: 200,
        request: { http_version: '2', url: 'http://shop/a?x=1', query: { x: '1' }, stream_id: 1 },
        response: { body: 'a1a2', http_version: '2' },
      },
    ])
  })

  it('may be answered before all of it was asked', () => {
    const seen = calls((talk) =>
      talk
        .send(0, joined(post(1, '/up'), data(1, 'first ')))
        .send(1, joined(headers(1, { ':status': '413' }, 5)))
        .send(0, data(1, 'second', true)),
    )
    expect(seen).toMatchObject([
      { method: 'POST', status: 413, error: '413', request: { body: 'first second', body_size: 12 } },
    ])
  })

  it('notes informational responses, and times the final one', () => {
    const [call] = calls((talk) =>
      talk
        .send(0, get(1, '/'))
        .send(1, headers(1, { ':status': '103', link: '</a>' }))
        .wait(50_000)
        .send(1, ok(1, {}, 5)),
    )
    expect(call).toMatchObject({ status: 200, response: { informational: [103] } })
    expect(call.response).not.toHaveProperty('headers.link')
    expect(call.ttfb_ms).toBeGreaterThan(50)
  })

  it('may have trailers on either side', () => {
    const [call] = calls((talk) =>
      talk
        .send(0, joined(post(1, '/'), data(1, 'x'), headers(1, { 'x-sum': '1' }, 5)))
        .send(1, joined(ok(1), data(1, 'y'), headers(1, { 'x-sum': '2' }, 5))),
    )
    expect(call).toMatchObject({
      request: { body: 'x', trailers: { 'x-sum': '1' } },
      response: { body: 'y', trailers: { 'x-sum': '2' } },
    })
  })

  it('has a head in several frames, with padding and priority', () => {
    const whole = [
      ...literal(':method', 'GET'),
      ...literal(':path', '/long'),
      ...literal('x-a', 'b'.repeat(100)),
    ]
    const padded = [4, 0, 0, 0, 0, 200, ...whole.slice(0, 10), 0, 0, 0, 0]
    const [call] = calls((talk) =>
      talk
        .send(0, frame(TYPE.headers, 0x01 | 0x08 | 0x20, 1, padded))
        .send(0, frame(TYPE.continuation, 0, 1, whole.slice(10, 80)))
        .send(0, frame(TYPE.continuation, 4, 1, whole.slice(80)))
        .send(1, joined(ok(1), frame(TYPE.data, 0x09, 1, [3, 0x68, 0x69, 0, 0, 0]))),
    )
    expect(call).toMatchObject({
      path: '/long',
      request: { headers: { 'x-a': 'b'.repeat(100) } },
      response: { body: 'hi', body_size: 2 },
    })
  })

  it('can be promised by the server', () => {
    const promise = [0, 0, 0, 2, ...literal(':method', 'GET'), ...literal(':path', '/style.css')]
    const seen = calls((talk) =>
      talk
        .send(0, get(1, '/'))
        .send(1, joined(frame(TYPE.pushPromise, 4, 1, promise), ok(1, {}, 5), ok(2), data(2, 'css', true))),
    )
    expect(seen.map(({ path, src }) => [path, src.port])).toEqual([
      ['/', 40000],
      ['/style.css', 40000],
    ])
    expect(seen[1]).toMatchObject({ request: { pushed: true, stream_id: 2 }, response: { body: 'css' } })
  })

  it('keeps no more of a body than it may, but counts all of it', () => {
    const [call] = calls(
      (talk) =>
        talk
          .send(0, get(1, '/'))
          .send(1, joined(ok(1), data(1, 'x'.repeat(5000)), data(1, 'y'.repeat(5000)), data(1, '', true))),
      { limits: { body: 1000 } },
    )
    expect(call.response).toMatchObject({ body: 'x'.repeat(1000), body_size: 10_000, truncated: true })
  })
})

describe('a stream that is cut off', () => {
  const reset = (stream: number, code: number) => frame(TYPE.resetStream, 0, stream, [0, 0, 0, code])

  it('by the server is a failure at once', () => {
    const [call] = calls((talk) => talk.send(0, get(1, '/')).send(1, reset(1, 7)))
    expect(call).toMatchObject({
      method: 'GET',
      error: 'stream reset: REFUSED_STREAM',
      response: { reset: 'REFUSED_STREAM', reset_by: 'server' },
    })
    expect(call).not.toHaveProperty('status')
  })

  it('by the client says so', () => {
    const seen = calls((talk) =>
      talk
        .send(0, joined(post(1, '/'), data(1, 'abc')))
        .send(1, joined(ok(1), data(1, 'part')))
        .send(0, reset(1, 8))
        .send(1, data(1, ' too late', true)),
    )
    expect(seen).toHaveLength(1)
    expect(seen[0]).toMatchObject({
      status: 200,
      error: 'stream reset: CANCEL',
      request: { body: 'abc', truncated: true },
      response: { body: 'part', truncated: true, reset_by: 'client' },
    })
  })

  it('after its end is no failure', () => {
    const seen = calls((talk) => talk.send(0, post(1, '/')).send(1, joined(ok(1, {}, 5), reset(1, 0))))
    expect(seen).toHaveLength(1)
    expect(seen[0]).not.toHaveProperty('error')
  })

  it('by the end of the connection names its streams', () => {
    const away = frame(TYPE.goAway, 0, 0, [0, 0, 0, 1, 0, 0, 0, 11])
    const seen = calls((talk) =>
      talk.send(0, joined(get(1, '/a'), get(3, '/b'))).send(1, joined(away, ok(1, {}, 5))),
    )
    expect(seen).toMatchObject([
      { path: '/b', error: 'stream reset: GOAWAY ENHANCE_YOUR_CALM' },
      { path: '/a', status: 200 },
    ])
  })

  it('by silence has no response', () => {
    expect(calls((talk) => talk.send(0, get(1, '/')))).toMatchObject([{ path: '/', error: 'no_response' }])
  })
})

describe('an answer that cannot be read', () => {
  it('leaves the requests as calls without a status', () => {
    const seen = calls((talk) =>
      talk.send(0, joined(get(1, '/a'), get(3, '/b'))).send(1, headers(1, [0xff, 0xff, 0x0f], 5)),
    )
    expect(seen).toMatchObject([
      { proto: 'http', method: 'GET', path: '/a', error: 'malformed_response' },
      { proto: 'http', method: 'GET', path: '/b', error: 'malformed_response' },
    ])
    for (const call of seen) expect(call).not.toHaveProperty('status')
  })
})

describe('a connection joined in the middle', () => {
  function joinedAt(...turns: readonly [side: 0 | 1, bytes: Uint8Array][]) {
    const talk = new Conversation({ serverPort: 9999 })
    for (const [side, bytes] of turns) talk.send(side, bytes)
    const seen: Call[] = []
    const dissection = new Dissection({ emit: (call) => seen.push(call) })
    feed(dissection, talk.packets, ETHERNET)
    dissection.end()
    return seen
  }

  const indexed = (...fields: number[]) => fields
  const unknownPath = indexed(0x83, 0x86, 0xc5, 0xc4, ...literal('x-new', 'one', true))

  it('says what it does not know instead of guessing', () => {
    const [first, second] = joinedAt(
      [0, headers(7, unknownPath, 5)],
      [1, headers(7, indexed(0x88, 0xc1), 5)],
      [0, headers(9, indexed(0x82, 0x86, 0x84, 0xbe), 5)],
      [1, headers(9, indexed(0x88), 5)],
    )
    expect(first.summary).toEqual({ method: 'POST', status: 200 })
    expect(first.request?.fields).toEqual({ unknown_headers: 2 })
    expect(first.response?.fields).toEqual({ unknown_headers: 1 })
    expect(second.summary).toEqual({ method: 'GET', path: '/', status: 200 })
    expect(new TextDecoder().decode(second.request?.head)).toContain('x-new: one')
  })

  it('learns from the response that it is gRPC', () => {
    const [call] = joinedAt(
      [0, joined(headers(7, unknownPath), data(7, Uint8Array.of(0, 0, 0, 0, 1, 9), true))],
      [
        1,
        joined(
          headers(7, { ':status': '200', 'content-type': 'application/grpc' }),
          headers(7, { 'grpc-status': '3' }, 5),
        ),
      ],
    )
    expect(call.protocol).toBe('grpc')
    expect(call.summary).toEqual({ status: 200, failure: 'INVALID_ARGUMENT' })
    expect(call.request?.fields).toMatchObject({ messages: 1 })
  })

  it('reports streams that began before', () => {
    const [call] = joinedAt(
      [1, joined(data(5, 'the rest'), headers(5, { 'grpc-status': '0' }, 5))],
      [
        0,
        joined(
          frame(TYPE.ping, 0, 0, [1, 2, 3, 4, 5, 6, 7, 8]),
          frame(TYPE.windowUpdate, 0, 0, [0, 0, 1, 0]),
        ),
      ],
    )
    expect(call).toMatchObject({ missing: 'midstream', response: { key: 5 } })
  })
})

describe('an upgrade from HTTP/1.1', () => {
  it('goes on with the request that asked for it', () => {
    const talk = new Conversation({ serverPort: 9999 })
      .handshake()
      .send(
        0,
        'GET /up HTTP/1.1\r\nHost: shop\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__\r\n\r\n',
      )
      .send(1, 'HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: h2c\r\n\r\n')
      .send(1, joined(settings, ok(1), data(1, 'first', true)))
      .send(0, joined(preface, get(3, '/next')))
      .send(1, ok(3, {}, 5))
      .close()
    const { events } = builtFixture('upgrade', new URL(import.meta.url), talk.packets)
    expect(observe(events).calls).toMatchObject([
      { path: '/up', status: 101, request: { http_version: '1.1' } },
      { path: '/up', status: 200, request: { stream_id: 1 }, response: { body: 'first', http_version: '2' } },
      { path: '/next', status: 200, request: { http_version: '2' } },
    ])
  })
})
