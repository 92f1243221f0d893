import { Conversation } from '@tapdeck/wire/testing'
import { describe, expect, it } from 'vitest'
import { builtFixture } from '../../conformance/fixture.ts'
import { observe, type ShownCall } from '../../conformance/observation.ts'

function callsOf(talk: Conversation): readonly ShownCall[] {
  const { calls, faults } = observe(builtFixture('built', new URL(import.meta.url), talk.packets).events)
  expect(faults).toEqual([])
  return calls
}

const shown = (calls: readonly ShownCall[]) =>
  calls.map(({ method, path, status, error }) => [method, path, status, error])

const request = (path: string) => `GET ${path} HTTP/1.1\r\nHost: shop.test\r\nAccept: */*\r\n\r\n`
const response = (status: number) =>
  `HTTP/1.1 ${status} Fine\r\nServer: shop\r\nContent-Length: 2000\r\n\r\n${'x'.repeat(2000)}`

describe('a head without its end', () => {
  it('is a call all the same where the snap length took the rest', () => {
    const talk = new Conversation().handshake()
    for (const [path, status] of [
      ['/a', 200],
      ['/b', 404],
      ['/c', 200],
    ] as const)
      talk.wait(1000).send(0, request(path)).send(1, response(status))
    const calls = callsOf(talk.close().cut(96))
    expect(shown(calls)).toEqual([
      ['GET', '/a', 200, undefined],
      ['GET', '/b', 404, '404 Fine'],
      ['GET', '/c', 200, undefined],
    ])
    for (const { request, response } of calls) {
      expect(request).toMatchObject({ truncated: true })
      expect(response).toMatchObject({ truncated: true })
      expect(response).not.toHaveProperty('body_size')
    }
  })

  it('is a call where a packet in its middle was lost', () => {
    const long = `GET /long HTTP/1.1\r\nHost: shop.test\r\nCookie: ${'c'.repeat(2000)}\r\n\r\n`
    const talk = new Conversation().handshake().send(0, long)
    talk.drop(-2)
    const calls = callsOf(talk.send(1, 'HTTP/1.1 204 No Content\r\n\r\n').close())
    expect(shown(calls)).toEqual([['GET', '/long', 204, undefined]])
    expect(calls[0].request).toMatchObject({ headers: { host: 'shop.test' }, truncated: true })
  })

  it('is what the server answers that has waited long enough for it', () => {
    const talk = new Conversation().handshake().send(0, 'GET /slow HTTP/1.1\r\nHost: shop')
    talk.send(1, 'HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\n\r\n').close(1)
    expect(shown(callsOf(talk))).toEqual([['GET', '/slow', 408, '408 Request Timeout']])
  })

  it('has no response where its client gives up', () => {
    const talk = new Conversation().handshake().send(0, 'GET /slow HTTP/1.1\r\nHost: shop').close()
    expect(shown(callsOf(talk))).toEqual([['GET', '/slow', undefined, 'no_response']])
  })
})
