import { Conversation, FLAG } from '@tapdeck/wire/testing'
import { describe, expect, test } from 'vitest'
import { Dissection } from '../dissection.ts'
import type { CallRecord } from './call-record.ts'
import { toCallRecord } from './engine-call.ts'
import { withLateResends } from './late-facts.ts'

const REQUEST = 'GET /a HTTP/1.1\r\nHost: a\r\n\r\n'
const RESPONSE = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'

/** The calls of a conversation, with what is known of them in the end. */
function callsOf(talk: Conversation): readonly CallRecord[] {
  const records: CallRecord[] = []
  const dissection = new Dissection({
    emit: (call) => {
      const [src, dst] = [call.flow.ends[call.side], call.flow.ends[call.side === 0 ? 1 : 0]]
      records.push(toCallRecord(call, { src, dst }, 'n1', 'file'))
    },
  })
  talk.feed(dissection)
  dissection.end()
  return records
}

const asked = () => new Conversation({ step: 1000, firstId: 1 }).handshake().send(0, REQUEST)

describe('the delivery of a response', () => {
  test('is unacknowledged where the server sends it again and again, without an acknowledgement', () => {
    const talk = asked().segment(1, FLAG.ack, RESPONSE)
    for (let again = 0; again < 3; again++) talk.wait(250_000).segment(1, FLAG.ack, RESPONSE, 5001)
    const [call] = callsOf(talk)
    expect(call).toMatchObject({ status: 200, delivery: 'unacknowledged' })
    expect(call?.compact().delivery).toBe('unacknowledged')
    expect(call?.toJSON().delivery).toBe('unacknowledged')
  })

  test('is that of its own response, not of one before on the connection', () => {
    const talk = asked().send(1, RESPONSE).send(0, REQUEST).segment(1, FLAG.ack, RESPONSE)
    talk.wait(250_000).segment(1, FLAG.ack, RESPONSE, 5001 + RESPONSE.length)
    expect(callsOf(talk).map(({ delivery }) => delivery)).toEqual([undefined, 'unacknowledged'])
  })

  test('is not said of a response that was acknowledged, also late, nor of a request that was not', () => {
    const late = asked().segment(1, FLAG.ack, RESPONSE)
    late.wait(250_000).segment(1, FLAG.ack, RESPONSE, 5001).segment(0, FLAG.ack)
    expect(callsOf(late).map(({ delivery }) => delivery)).toEqual([undefined])
    const unanswered = new Conversation({ step: 1000, firstId: 1 }).handshake().segment(0, FLAG.ack, REQUEST)
    unanswered.wait(250_000).segment(0, FLAG.ack, REQUEST, 1001)
    expect(callsOf(unanswered).map(({ delivery }) => delivery)).toEqual([undefined])
    expect(callsOf(asked().send(1, RESPONSE).close()).map(({ delivery }) => delivery)).toEqual([undefined])
  })
})

test('retransmissions of the response after the call are added to those that its connection had then', () => {
  const tcp = { ...callsOf(asked().send(1, RESPONSE))[0]!.tcp!, retransmissions: 2 }
  const resent = [
    { side: 1, sent: 1_005_000, time: 1_300_000, count: 2 },
    // Before the call was over, of another call, and by the client.
    { side: 1, sent: 1_005_000, time: 1_006_000, count: 1 },
    { side: 1, sent: 1_900_000, time: 2_300_000, count: 1 },
    { side: 0, sent: 1_001_000, time: 1_300_000, count: 1 },
  ] as const
  const call = { ts: 1000, latency_ms: 10 }
  expect(withLateResends(tcp, call, { resent }, 0).retransmissions).toBe(4)
  expect(withLateResends(tcp, call, { resent: [] }, 0)).toBe(tcp)
  expect(withLateResends(tcp, { ts: 1000 }, { resent }, 0)).toBe(tcp)
})
