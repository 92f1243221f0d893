import { Conversation, FLAG } from '@tapdeck/wire/testing'
import { expect, it } from 'vitest'
import type { Call } from '../contract/call.ts'
import { Dissection } from '../dissection.ts'
import { toCallRecord } from './engine-call.ts'

const asked = () => new Conversation().handshake().send(0, 'GET /slow HTTP/1.1\r\nHost: a\r\n\r\n')

function endsOf(talk: Conversation): readonly unknown[] {
  const calls: Call[] = []
  const dissection = new Dissection({ emit: (call) => calls.push(call) })
  talk.feed(dissection)
  dissection.end()
  return calls.map((call) => {
    const peers = { src: call.flow.ends[0], dst: call.flow.ends[1] }
    const { error, connection_end } = toCallRecord(call, peers, 'node-1', 'file').compact()
    return [error, connection_end]
  })
}

it('says which side ended the connection of a request without a response, and how', () => {
  const { fin, rst, ack } = FLAG
  expect(endsOf(asked().segment(1, fin | ack))).toEqual([['no_response', 'closed_by_server']])
  expect(endsOf(asked().segment(1, rst | ack))).toEqual([['no_response', 'reset_by_server']])
  expect(endsOf(asked().segment(0, fin | ack))).toEqual([['no_response', 'closed_by_client']])
  expect(endsOf(asked().segment(0, rst))).toEqual([['no_response', 'reset_by_client']])
})

it('a server that closes and resets what comes later has closed', () => {
  const talk = asked().segment(1, FLAG.fin | FLAG.ack)
  expect(endsOf(talk.send(0, 'GET /again HTTP/1.1\r\nHost: a\r\n\r\n').segment(1, FLAG.rst))).toEqual([
    ['no_response', 'closed_by_server'],
    ['no_response', 'closed_by_server'],
  ])
})

it('says nothing of a call with a response, of one that is still open, and of one that was given up in silence', () => {
  const answered = asked().send(1, 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n').close()
  expect(endsOf(answered)).toEqual([[undefined, undefined]])
  expect(endsOf(asked())).toEqual([['unfinished', undefined]])
})
