import { describe, expect, test } from 'vitest'
import { type BuiltPacket, Conversation, encapsulate, FLAG, follow, TUNNELS } from '../testing/index.ts'

const [NODE, OTHER] = ['192.168.0.1', '192.168.0.2']
const REQUEST = 'GET /a HTTP/1.1\r\n\r\n'
const BODY = 'x'.repeat(10_000)

/** An exchange, and another one with a request that is sent again 250 ms later. */
function talk(options: { readonly client?: string; readonly server?: string; readonly firstId?: number }) {
  const talk = new Conversation({ ...options, step: 500 }).handshake()
  talk.send(0, REQUEST).send(1, BODY).send(0, REQUEST)
  return talk
}

/** Each packet, and the same again as `copy` makes it, `late` microseconds later, in groups of `group` packets. */
function twice(
  packets: readonly BuiltPacket[],
  copy: (data: Uint8Array) => Uint8Array,
  late = 20,
  group = 1,
): BuiltPacket[] {
  const out: BuiltPacket[] = []
  for (let at = 0; at < packets.length; at += group) {
    const some = packets.slice(at, at + group)
    out.push(...some, ...some.map(({ data, time }) => ({ data: copy(data), time: time + late })))
  }
  return out
}

/** All that is measured, without times. */
function figures(packets: readonly BuiltPacket[]) {
  const { recorder, streams } = follow(packets)
  expect(recorder.flows).toHaveLength(1)
  const { tcp, directions } = recorder.flows[0]
  const { retransmissions, fast_retransmissions, duplicate_acks, out_of_order, keep_alive, fins, resets } =
    tcp!
  return {
    ...{ retransmissions, fast_retransmissions, duplicate_acks, out_of_order, keep_alive, fins, resets },
    packets: directions.map((one) => one.packets),
    goodput: directions.map((one) => one.goodput),
    text: [recorder.text(0), recorder.text(1)],
    copies: streams.duplicateCaptures,
  }
}

const v4 = { firstId: 65_530 }
const v6 = { client: 'fd00::1', server: 'fd00::2' }
const inTunnel = (kind: (typeof TUNNELS)[number]) => (data: Uint8Array) =>
  encapsulate(data, kind, NODE, OTHER)

describe('packets that are captured twice count once', () => {
  const cases = [
    ...TUNNELS.map((kind) => [`outside and inside of ${kind}`, v4, inTunnel(kind)] as const),
    ['outside and inside of vxlan, without identifications', {}, inTunnel('vxlan')] as const,
    ['outside and inside of vxlan, over IPv6', v6, inTunnel('vxlan')] as const,
    ['on a bridge and its port', v4, (data: Uint8Array) => data] as const,
  ]
  test.each(cases)('%s', (_name, options, copy) => {
    const conversation = talk(options).close()
    const { packets } = conversation
    const once = figures(packets)
    expect(once).toMatchObject({ retransmissions: 0, duplicate_acks: 0, copies: 0 })
    // Those of the last packets come when the connection is over.
    for (const group of [1, 3])
      expect(figures(twice(packets, copy, 20, group))).toEqual({ ...once, copies: packets.length - group })
    // A node that receives has the packet inside of the tunnel first.
    const received = packets.flatMap(({ data, time }) => [
      { data: copy(data), time },
      { data, time: time + 20 },
    ])
    expect(figures(received).retransmissions).toBe(0)
  })

  test('also where a reset ends the connection', () => {
    const { packets } = talk(v4).reset(1)
    expect(figures(twice(packets, inTunnel('vxlan')))).toEqual({
      ...figures(packets),
      copies: packets.length,
    })
  })

  test('a tail that is captured twice over IPv6, without a tunnel', () => {
    const { packets } = talk(v6)
    const copied = twice(packets, (data) => data, 10)
    expect(figures(copied)).toMatchObject({ retransmissions: 0, goodput: figures(packets).goodput })
  })
})

describe('what is sent again is no copy', () => {
  const again = (options: {
    readonly client?: string
    readonly server?: string
    readonly firstId?: number
  }) => {
    const conversation = talk(options).wait(250_000)
    // The response to the second request, whose acknowledgement does not come.
    const seq = options.client === undefined ? 5000 + 1 + BODY.length : undefined
    conversation.segment(1, FLAG.ack, 'late')
    conversation.wait(250_000)
    const last = conversation.packets.at(-1)!
    if (seq === undefined) conversation.packets.push({ ...last, time: conversation.time })
    else conversation.segment(1, FLAG.ack, 'late', seq)
    return conversation.packets
  }

  test.each([
    ['with identifications', v4],
    ['without', {}],
    ['over IPv6', v6],
  ])('a timeout, %s', (_name, options) => {
    const packets = again(options)
    expect(figures(packets)).toMatchObject({ retransmissions: 1, copies: 0 })
    expect(figures(twice(packets, inTunnel('vxlan')))).toMatchObject({
      retransmissions: 1,
      copies: packets.length,
    })
  })

  test('a fast retransmission within a round trip', () => {
    const conversation = new Conversation({ firstId: 1, step: 100 }).handshake().send(0, REQUEST)
    conversation.segment(1, FLAG.ack, 'a'.repeat(100)).segment(1, FLAG.ack, 'b'.repeat(100))
    conversation.segment(1, FLAG.ack, 'a'.repeat(100), 5001)
    expect(figures(conversation.packets)).toMatchObject({ retransmissions: 1, out_of_order: 0, copies: 0 })
  })

  test('a segment whose first packet was lost before the capture, within a round trip', () => {
    const conversation = new Conversation({ firstId: 65_530, step: 100 }).handshake().send(0, REQUEST)
    for (const letter of 'abc') conversation.segment(1, FLAG.ack, letter.repeat(100))
    conversation.drop(-3).segment(1, FLAG.ack, 'a'.repeat(100), 5001)
    expect(figures(conversation.packets)).toMatchObject({ retransmissions: 1, out_of_order: 0, copies: 0 })
  })

  test('acknowledgements that repeat', () => {
    const conversation = new Conversation({ firstId: 1, step: 50 }).handshake().send(0, REQUEST)
    for (let i = 0; i < 4; i++) conversation.segment(1, FLAG.ack)
    expect(figures(conversation.packets)).toMatchObject({ duplicate_acks: 4, copies: 0 })
  })
})

test('an acknowledgement that the next one has overtaken is no copy', () => {
  const conversation = new Conversation({ firstId: 100, step: 100 }).handshake().send(0, REQUEST)
  for (const letter of 'abcd') conversation.send(1, letter.repeat(100))
  const { packets } = conversation
  const [second, last] = [packets.length - 3, packets.length - 1]
  const inOrder = figures(packets)
  conversation.swap(second, last)
  const swapped = figures(packets)
  expect(swapped).toMatchObject({ packets: inOrder.packets, copies: 0 })
  expect(figures(twice(packets, (data) => data, 20, packets.length))).toEqual({
    ...swapped,
    copies: packets.length,
  })
})

test('a packet that others have overtaken is out of order, also where all are captured twice', () => {
  const conversation = new Conversation({ firstId: 65_530, step: 100 }).handshake().send(0, REQUEST)
  for (const letter of 'abc') conversation.segment(1, FLAG.ack, letter.repeat(100))
  const { packets } = conversation
  conversation.swap(packets.length - 2, packets.length - 1)
  const once = figures(packets)
  expect(once).toMatchObject({ retransmissions: 0, out_of_order: 1, copies: 0 })
  for (const group of [1, packets.length])
    expect(figures(twice(packets, (data) => data, 20, group))).toEqual({ ...once, copies: packets.length })
})

test('bytes that only one of two captures has are not lost', () => {
  const { packets } = talk(v4).close()
  const both = twice(packets, inTunnel('vxlan'))
  for (let lost = 0; lost < both.length; lost++) {
    const { text, retransmissions } = figures(both.filter((_, at) => at !== lost))
    expect(text).toEqual(figures(packets).text)
    expect(retransmissions).toBe(0)
  }
})
