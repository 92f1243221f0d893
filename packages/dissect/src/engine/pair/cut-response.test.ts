import { Conversation } from '@tapdeck/wire/testing'
import { expect, it } from 'vitest'
import type { Call } from '../../contract/call.ts'
import { Dissection } from '../../dissection.ts'

function callsOf(talk: Conversation): readonly Call[] {
  const calls: Call[] = []
  const dissection = new Dissection({ emit: (call) => calls.push(call) })
  talk.feed(dissection)
  dissection.end()
  return calls
}

const asked = () => new Conversation().handshake().send(0, 'GET / HTTP/1.1\r\nHost: a\r\n\r\n')
const head = 'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n'

it('is a failure if a reset cuts the response, and counts only what was sent', () => {
  const [call, ...others] = callsOf(asked().send(1, `${head}only a part`).reset(1))
  expect(others).toEqual([])
  expect(call.summary).toMatchObject({ status: 200, failure: 'response cut off: connection reset' })
  expect(call.response).toMatchObject({ truncated: true, size: head.length + 11 })
  expect(call.response?.bodySize).toBeUndefined()
})

it('is a failure if the server closes within its response', () => {
  const failure = 'response cut off: connection closed'
  const [length] = callsOf(asked().send(1, head).close(1))
  expect(length.summary.failure).toBe(failure)
  expect(length.response).toMatchObject({ truncated: true, size: head.length })
  expect(length.response?.bodySize).toBeUndefined()
  const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n'
  expect(callsOf(asked().send(1, chunked).close(1))[0].summary.failure).toBe(failure)
})

it('is a failure if the client resets', () => {
  const [call] = callsOf(asked().send(1, `${head}only a part`).reset(0))
  expect(call.summary.failure).toBe('response cut off: connection reset')
})

it('is no failure if the client closes a stream', () => {
  const [call] = callsOf(
    asked().send(1, 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n').close(0),
  )
  expect(call.summary.failure).toBeUndefined()
})

it('is no failure if the capture ends first, or the response lasts until the close', () => {
  expect(callsOf(asked().send(1, `${head}only a part`))[0].summary.failure).toBeUndefined()
  const old = `HTTP/1.0 200 OK\r\n\r\n${'x'.repeat(100_000)}`
  const [call] = callsOf(asked().send(1, old).close(1))
  expect(call.response).toMatchObject({ truncated: true, bodySize: 100_000 })
  expect(call.summary.failure).toBeUndefined()
})

it('prefers the failure that the protocol reports', () => {
  const refused = 'HTTP/1.1 503 Service Unavailable\r\nContent-Length: 1000\r\n\r\nsorry'
  expect(callsOf(asked().send(1, refused).reset(1))[0].summary.failure).toBe('503 Service Unavailable')
})
