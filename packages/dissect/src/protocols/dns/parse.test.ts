import { Conversation, feed, udpFrame } from '@tapdeck/wire/testing'
import { describe, expect, it } from 'vitest'
import type { Call } from '../../contract/call.ts'
import { Dissection } from '../../dissection.ts'

const QUESTION = [1, 0x61, 4, 0x74, 0x65, 0x73, 0x74, 0, 0, 1, 0, 1]
const ANSWER = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 10, 0, 0, 1]
const query = (id: number) => Uint8Array.from([0, id, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, ...QUESTION])
const answer = (id: number, rcode = 0) =>
  Uint8Array.from([0, id, 0x81, rcode, 0, 1, 0, 1, 0, 0, 0, 0, ...QUESTION, ...ANSWER])

interface Ends {
  readonly from?: string
  readonly to?: string
  readonly fromPort?: number
  readonly toPort?: number
}

let clock = 1_700_000_000_000_000
function sent(
  payload: Uint8Array,
  { from = '10.0.0.1', to = '10.0.0.53', fromPort = 4000, toPort = 53 }: Ends = {},
) {
  clock += 1000
  return { time: clock, data: udpFrame({ src: from, sport: fromPort, dst: to, dport: toPort, payload }) }
}
const back = (payload: Uint8Array) =>
  sent(payload, { from: '10.0.0.53', to: '10.0.0.1', fromPort: 53, toPort: 4000 })

function dissect(packets: Parameters<typeof feed>[1]): string[] {
  const calls: Call[] = []
  const dissection = new Dissection({ emit: (call) => calls.push(call) })
  feed(dissection, packets)
  dissection.end()
  return calls.map(({ protocol, summary, missing, request, response, flow }) =>
    [
      protocol,
      summary.method,
      summary.path,
      summary.status,
      request && `${request.key}`,
      response && `→ ${response.key}`,
      missing ?? summary.failure,
      protocol === 'dns' && flow.ends[1].port !== 53 ? flow.ends[1].port : undefined,
    ]
      .filter((part) => part !== undefined)
      .join(' '),
  )
}

describe('queries and answers', () => {
  it('meet by their id in any order', () => {
    expect(dissect([sent(query(1)), sent(query(2)), back(answer(2)), back(answer(1, 3))])).toEqual([
      'dns A a.test NOERROR 2 → 2',
      'dns A a.test NXDOMAIN 1 → 1 NXDOMAIN',
    ])
  })

  it('may lack one another', () => {
    expect(dissect([sent(query(1)), back(answer(9))])).toEqual([
      'dns A a.test NOERROR → 9 midstream',
      'dns A a.test 1 unfinished',
    ])
  })

  it('are recognised on any port, and the client by who asks', () => {
    const odd = { from: '10.0.0.53', to: '10.0.0.1', fromPort: 3000, toPort: 9999 }
    expect(
      dissect([
        sent(answer(1), odd),
        sent(query(2), { from: '10.0.0.1', to: '10.0.0.53', fromPort: 9999, toPort: 3000 }),
      ]),
    ).toEqual(['dns A a.test NOERROR → 1 midstream 3000', 'dns A a.test 2 unfinished 3000'])
  })

  it('stand alone where they are multicast', () => {
    const multicast = { to: '224.0.0.251', fromPort: 5353, toPort: 5353 }
    expect(dissect([sent(query(0), multicast), sent(answer(0), multicast)])).toEqual([
      'dns A a.test 0 5353',
      'dns A a.test NOERROR 0 5353',
    ])
  })

  it('come one after the other over TCP, however cut', () => {
    const framed = (bytes: Uint8Array) => Uint8Array.from([0, bytes.length, ...bytes])
    const talk = new Conversation({ serverPort: 53, segmentSize: 7 })
      .handshake()
      .send(0, Uint8Array.from([...framed(query(1)), ...framed(query(2))]))
      .send(1, Uint8Array.from([...framed(answer(2)), ...framed(answer(1))]))
      .close()
    expect(dissect(talk.packets)).toEqual(['dns A a.test NOERROR 2 → 2', 'dns A a.test NOERROR 1 → 1'])
  })
})

describe('what is no DNS', () => {
  it.each([
    ['a question cut short', query(1).subarray(0, 20)],
    ['bytes left over', Uint8Array.from([...query(1), 0, 0])],
    ['an unused class', query(1).with(-1, 77)],
    ['no question at all', Uint8Array.from([0, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0])],
    ['a reserved bit', query(1).with(3, 0x40)],
    ['text', new TextEncoder().encode('hello, is this a message of any kind?')],
  ])('is %s', (_, payload) => {
    expect(dissect([sent(payload)])[0]).toMatch(/^udp/)
  })
})
