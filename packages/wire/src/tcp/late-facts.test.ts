import { describe, expect, test } from 'vitest'
import { Conversation, FLAG, follow, tcpFrame } from '../testing/index.ts'

const START = 1_700_000_000_000_000
const REQUEST = 'GET /a HTTP/1.1\r\n\r\n'
const RESPONSE = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok'
/** When the response is sent first: after the handshake, the request and its acknowledgement, a millisecond each. */
const SENT = START + 5000

/** A response that its client does not acknowledge, and that is sent so many times more, 250 ms apart. */
function unanswered(times: number): Conversation {
  const talk = new Conversation({ start: START, step: 1000, firstId: 1 }).handshake().send(0, REQUEST)
  talk.segment(1, FLAG.ack, RESPONSE)
  const seq = 5001
  for (let again = 0; again < times; again++) talk.wait(250_000).segment(1, FLAG.ack, RESPONSE, seq)
  return talk
}

function flowOf(talk: Conversation) {
  const { recorder } = follow(talk.packets)
  expect(recorder.flows).toHaveLength(1)
  return recorder.flows[0]
}

describe('bytes that are not acknowledged', () => {
  test('are known since they were first sent, when they were sent again', () => {
    const flow = flowOf(unanswered(3))
    expect(flow.unacked).toEqual([undefined, SENT])
    expect(flow.resent).toEqual(
      [1, 2, 3].map((again) => ({ side: 1, sent: SENT, time: SENT + again * 251_000, count: 1 })),
    )
    expect(flow.tcp?.retransmissions).toBe(3)
  })

  test('are known when a reset cuts them off, and not when the reset acknowledges them', () => {
    const cut = unanswered(0)
    cut.segment(0, FLAG.rst)
    expect(flowOf(cut).unacked).toEqual([undefined, SENT])
    expect(flowOf(unanswered(0).reset(0)).unacked).toBeUndefined()
    expect(flowOf(unanswered(2).reset(0)).unacked).toBeUndefined()
  })

  test('are over once an acknowledgement comes; what was sent again stays known', () => {
    const flow = flowOf(unanswered(2).segment(0, FLAG.ack))
    expect(flow.unacked).toBeUndefined()
    expect(flow.resent).toHaveLength(2)
  })

  test('are not older than the furthest segment, where a part of what was sent again is acknowledged', () => {
    const talk = new Conversation({ start: START, step: 1000, firstId: 1 }).handshake().send(0, REQUEST)
    talk.segment(1, FLAG.ack, 'first').segment(1, FLAG.ack, 'second')
    talk.wait(250_000).segment(1, FLAG.ack, 'first', 5001)
    const ends = { src: '10.0.0.1', dst: '10.0.0.2', sport: 40_000, dport: 80 }
    const part = tcpFrame({ ...ends, seq: 1001 + REQUEST.length, ack: 5001 + 'first'.length })
    talk.packets.push({ data: part, time: talk.time })
    expect(flowOf(talk).unacked).toEqual([undefined, SENT + 1000])
  })

  test('are not those of a capture that ends right after them', () => {
    expect(flowOf(unanswered(0)).unacked).toBeUndefined()
  })
})

test('retransmissions beyond a limit are counted with the last one that is listed', () => {
  const flow = flowOf(unanswered(20))
  expect(flow.resent).toHaveLength(16)
  expect(flow.resent?.reduce((sum, { count }) => sum + count, 0)).toBe(20)
})
