import { Conversation, FLAG, feed } from '@tapdeck/wire/testing'
import { expect, it } from 'vitest'
import type { Call } from '../contract/call.ts'
import { Dissection } from '../dissection.ts'
import * as mysql from '../protocols/mysql/testing-packets.ts'
import * as postgresql from '../protocols/postgresql/testing-messages.ts'

const SECOND = 1_000_000

/** Sends the parts of a response with a pause before each. */
function answered(talk: Conversation, pause: number, parts: readonly Uint8Array[]): readonly Call[] {
  for (const part of parts) talk.wait(pause).send(1, part)
  talk.close()
  const calls: Call[] = []
  const dissection = new Dissection({ emit: (call) => calls.push(call) })
  talk.feed(dissection)
  dissection.end()
  return calls
}

function shown(calls: readonly Call[]): readonly unknown[] {
  return calls.map(({ summary, missing, response }) => [
    summary.method,
    summary.status,
    missing ?? summary.failure,
    response?.fields?.rows,
  ])
}

it('of PostgreSQL is one call, even if its rows take longer than the timeout', () => {
  const { columns, complete, joined, query, ready, row } = postgresql
  const talk = new Conversation({ serverPort: 5432 }).handshake().send(0, query('select n from t'))
  const parts = [joined(columns('n'), row('1')), ...Array.from({ length: 8 }, (_, n) => row(String(n)))]
  const calls = answered(talk, 20 * SECOND, [...parts, joined(complete('SELECT 9'), ready)])
  expect(shown(calls)).toEqual([['SELECT', 'ok', undefined, 9]])
  expect((calls[0].end - calls[0].start) / SECOND).toBeCloseTo(200, 0)
})

it('of MySQL is one call, even if its rows take longer than the timeout', () => {
  const { column, eof, greeting, joined, login, ok, packet, query, text } = mysql
  const talk = new Conversation({ serverPort: 3306 })
    .handshake()
    .send(1, greeting())
    .send(0, login())
    .send(1, ok(2))
    .send(0, query('select n from t'))
  const rows = Array.from({ length: 8 }, (_, n) => packet(4 + n, text(String(n))))
  const parts = [joined(packet(1, [1]), column(2, 'n'), eof(3)), ...rows, eof(12)]
  const [, ...calls] = answered(talk, 20 * SECOND, parts)
  expect(shown(calls)).toEqual([['SELECT', 'ok', undefined, 8]])
})

it('of HTTP is one call, even if its body pauses longer than the timeout', () => {
  const talk = new Conversation().handshake().send(0, 'GET /watch HTTP/1.1\r\nHost: a\r\n\r\n')
  const head = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n'
  const parts = [head, '3\r\none\r\n', '3\r\ntwo\r\n', '0\r\n\r\n'].map((part) =>
    new TextEncoder().encode(part),
  )
  talk.send(1, parts[0])
  expect(shown(answered(talk, 150 * SECOND, parts.slice(1)))).toEqual([['GET', 200, undefined, undefined]])
})

const BLPOP = '*3\r\n$5\r\nBLPOP\r\n$1\r\nq\r\n$1\r\n0\r\n'
const popped = new TextEncoder().encode('*2\r\n$1\r\nq\r\n$1\r\nv\r\n')

it('that begins after the timeout is still one call', () => {
  const talk = new Conversation({ serverPort: 6379 }).handshake().send(0, BLPOP)
  const calls = answered(talk, 250 * SECOND, [popped])
  expect(shown(calls)).toEqual([['BLPOP', 'OK', undefined, undefined]])
  expect((calls[0].end - calls[0].start) / SECOND).toBeCloseTo(250, 0)
})

it('that never comes is reported when the connection ends', () => {
  const talk = new Conversation({ serverPort: 6379 })
    .handshake()
    .send(0, BLPOP)
    .wait(250 * SECOND)
  expect(shown(answered(talk, 0, []))).toEqual([['BLPOP', undefined, 'no_response', undefined]])
})

it('of a direction that is not captured times out', () => {
  const talk = new Conversation({ serverPort: 6379 }).handshake()
  talk.segment(0, FLAG.ack, BLPOP).wait(90 * SECOND)
  talk
    .segment(0, FLAG.ack, BLPOP)
    .segment(0, FLAG.ack)
    .wait(90 * SECOND)
    .segment(0, FLAG.ack)
  const calls: Call[] = []
  const dissection = new Dissection({ emit: (call) => calls.push(call) })
  feed(dissection, [talk.packets[0], ...talk.packets.slice(2)])
  expect(calls.length).toBe(2)
})
