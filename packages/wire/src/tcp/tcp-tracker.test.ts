import { describe, expect, test } from 'vitest'
import type { Flow } from '../flow.ts'
import { Streams } from '../streams.ts'
import { Conversation, FLAG, feed, follow, Recorder, tcpFrame } from '../testing/index.ts'

const SECOND = 1_000_000

describe('who is the client', () => {
  test('the sender of the SYN', () => {
    const { recorder } = follow(new Conversation({ clientPort: 80, serverPort: 40000 }).handshake().packets)
    expect(recorder.flows[0].ends).toEqual([
      { ip: '10.0.0.1', port: 80 },
      { ip: '10.0.0.2', port: 40000 },
    ])
    expect(recorder.flows[0].midstream).toBe(false)
  })

  test('the receiver of the SYN-ACK, where the SYN is missing', () => {
    const { packets } = new Conversation({ clientPort: 80, serverPort: 40000 })
      .handshake()
      .send(0, 'a')
      .send(1, 'b')
    const { recorder } = follow(packets.slice(1))
    expect(recorder.flows[0].ends[0].port).toBe(80)
    expect(recorder.flows[0].midstream).toBe(false)
    expect([recorder.text(0), recorder.text(1)]).toEqual(['a', 'b'])
    expect(recorder.flows[0].tcp?.handshake_us).toBeUndefined()
  })

  test.each([0, 1] as const)('the end with the higher port, where side %i is met in the middle', (side) => {
    const { packets } = new Conversation()
      .handshake()
      .send(side, 'abc')
      .send(side === 0 ? 1 : 0, 'def')
    const { recorder } = follow(packets.slice(3))
    expect(recorder.flows[0].ends[0].port).toBe(40000)
    expect(recorder.flows[0].midstream).toBe(true)
    expect(recorder.text(side)).toBe('abc')
  })

  test('can be corrected by a protocol, in the middle of a delivery', () => {
    const recorder = new Recorder()
    const streams: Streams = new Streams({
      open: (flow) => recorder.open(flow),
      data(flow: Flow, side, bytes, start, end, time) {
        if (bytes[start] === 0x47) streams.flip(flow)
        recorder.data(flow, flow.ends[0].port === 80 ? 0 : side, bytes, start, end, time)
      },
      gap: (flow, side, missing, time, cut) => recorder.gap(flow, side, missing, time, cut),
      datagram() {},
      finish: (flow, side, time) => recorder.finish(flow, side, time),
      close: (flow, time) => recorder.close(flow, time),
    })
    // The client has the lower port: the guess is wrong until the request is seen.
    const conversation = new Conversation({ clientPort: 80, serverPort: 40000 })
      .handshake()
      .send(0, 'GET')
      .send(1, 'ok')
    feed(streams, conversation.close(1).packets.slice(3))
    const [flow] = recorder.flows
    expect(flow.ends[0].port).toBe(80)
    expect(flow.directions.map((half) => half.goodput)).toEqual([3, 2])
    expect(flow.closedBy).toBe(1)
    expect(recorder.events.flatMap((event) => (event.kind === 'finish' ? [event.side] : []))).toEqual([1, 0])
  })

  test('changes who closed as well', () => {
    const recorder = new Recorder()
    const streams = new Streams(recorder)
    const conversation = new Conversation().handshake().send(0, 'a').fin(1)
    feed(streams, conversation.packets)
    expect(recorder.flows[0].closedBy).toBe(1)
    streams.flip(recorder.flows[0])
    expect(recorder.flows[0].closedBy).toBe(0)
    feed(streams, conversation.fin(0).segment(1, FLAG.ack).packets.slice(-2))
    expect(recorder.flows[0]).toMatchObject({ closed: 'fin', closedBy: 0 })
  })

  test('is not undone by flipping twice', () => {
    const recorder = new Recorder()
    const streams = new Streams(recorder)
    const conversation = new Conversation().handshake().send(0, 'a')
    feed(streams, conversation.packets)
    streams.flip(recorder.flows[0])
    streams.flip(recorder.flows[0])
    feed(streams, conversation.send(0, 'b').packets.slice(-2))
    expect(recorder.text(0)).toBe('ab')
  })
})

describe('an end', () => {
  test('comes when both sides finished and both ends were acknowledged', () => {
    const { packets } = new Conversation().handshake().send(0, 'a').close(1)
    const recorder = new Recorder()
    const streams = new Streams(recorder)
    feed(streams, packets.slice(0, -1))
    expect(recorder.kinds()).toEqual(['open', 'data', 'finish', 'finish'])
    feed(streams, packets.slice(-1))
    expect(recorder.kinds()).toEqual(['open', 'data', 'finish', 'finish', 'close'])
    expect(recorder.flows[0]).toMatchObject({
      closed: 'fin',
      closedBy: 1,
      tcp: { fins: 2, completeness: 31 },
    })
  })

  test('comes also where both finish at once', () => {
    const conversation = new Conversation().handshake()
    const [clientNext, serverNext] = [1001, 5001]
    const ends = { src: '10.0.0.1', dst: '10.0.0.2', sport: 40000, dport: 80 }
    const back = { src: '10.0.0.2', dst: '10.0.0.1', sport: 80, dport: 40000 }
    const frames = [
      tcpFrame({ ...ends, seq: clientNext, ack: serverNext, flags: FLAG.fin | FLAG.ack }),
      tcpFrame({ ...back, seq: serverNext, ack: clientNext, flags: FLAG.fin | FLAG.ack }),
      tcpFrame({ ...ends, seq: clientNext + 1, ack: serverNext + 1 }),
      tcpFrame({ ...back, seq: serverNext + 1, ack: clientNext + 1 }),
    ]
    const { recorder } = follow([
      ...conversation.packets,
      ...frames.map((data, index) => ({ data, time: conversation.time + index })),
    ])
    expect(recorder.kinds()).toEqual(['open', 'finish', 'finish', 'close'])
    expect(recorder.flows[0]).toMatchObject({ closed: 'fin', closedBy: 0 })
  })

  test('without the last acknowledgement comes after a short grace', () => {
    const { packets } = new Conversation().handshake().close()
    const other = new Conversation({ clientPort: 1234, start: packets[0].time + 3 * SECOND }).handshake()
    const recorder = new Recorder()
    feed(new Streams(recorder), [...packets.slice(0, -1), ...other.packets])
    expect(recorder.flows[0].closed).toBe('fin')
  })

  test('by a reset lets the peer finish what was under way', () => {
    const conversation = new Conversation().handshake().send(0, 'a').reset(0)
    conversation.segment(1, FLAG.ack, 'late').segment(0, FLAG.rst)
    const { recorder } = follow(conversation.packets)
    expect(recorder.text(1)).toBe('late')
    expect(recorder.flows[0]).toMatchObject({
      closed: 'reset',
      closedBy: 0,
      tcp: { resets: 2, completeness: 47 },
    })
  })

  test('by a reset that its sender did not mean is none', () => {
    const conversation = new Conversation().handshake().send(0, 'a').segment(0, FLAG.rst).wait(500_000)
    conversation
      .send(0, 'b')
      .wait(5 * SECOND)
      .send(0, 'c')
    const { recorder } = follow(conversation.packets)
    expect(recorder.text(0)).toBe('abc')
    expect(recorder.flows.length).toBe(1)
    expect(recorder.flows[0]).toMatchObject({ closed: 'end-of-capture' })
    expect(recorder.flows[0].closedBy).toBeUndefined()
  })

  test('by a reset that answers a SYN is a refusal', () => {
    const conversation = new Conversation().segment(0, FLAG.syn).segment(1, FLAG.rst | FLAG.ack)
    const { recorder } = follow(conversation.packets)
    expect(recorder.flows[0]).toMatchObject({ closed: 'refused', closedBy: 1, tcp: { completeness: 37 } })
  })

  test('by a reset of the scanner is no refusal', () => {
    const conversation = new Conversation()
      .segment(0, FLAG.syn)
      .segment(1, FLAG.syn | FLAG.ack)
      .reset(0)
    expect(follow(conversation.packets).recorder.flows[0].closed).toBe('reset')
  })

  test('comes after five minutes of silence, whether or not something else was heard', () => {
    const conversation = new Conversation()
      .handshake()
      .send(0, 'a')
      .wait(301 * SECOND)
      .send(0, 'b')
    const { recorder } = follow(conversation.packets)
    expect(recorder.flows.map((flow) => flow.closed)).toEqual(['idle', 'end-of-capture'])
    expect(recorder.text(0, recorder.flows[1])).toBe('b')
  })

  test('by silence comes to the microsecond, whenever the last look at idle flows was', () => {
    const flows = (silence: number) => {
      const conversation = new Conversation({ step: 0 })
        .handshake()
        .send(0, 'a')
        .wait(299.9 * SECOND)
      const other = new Conversation({ clientPort: 1234, start: conversation.time }).segment(0, FLAG.syn)
      conversation.packets.push(...other.packets)
      return follow(conversation.wait(silence - 299.9 * SECOND).send(0, 'b').packets).recorder.flows.length
    }
    expect(flows(300 * SECOND)).toBe(2)
    expect(flows(300 * SECOND + 1)).toBe(3)
  })

  test('by a reset comes to the microsecond as well', () => {
    const texts = (silence: number) => {
      const conversation = new Conversation({ step: 0 })
        .handshake()
        .send(0, 'a')
        .reset(0)
        .wait(0.9 * SECOND)
      const other = new Conversation({ clientPort: 1234, start: conversation.time }).segment(0, FLAG.syn)
      conversation.packets.push(...other.packets)
      const { recorder } = follow(conversation.wait(silence - 0.9 * SECOND).send(1, 'late').packets)
      return recorder.text(1)
    }
    expect(texts(SECOND)).toBe('late')
    expect(texts(SECOND + 1)).toBe('')
  })

  test('keeps late packets from opening a new flow', () => {
    const conversation = new Conversation().handshake().send(0, 'a').close()
    conversation.packets.push(
      ...conversation.packets.slice(-3).map((packet) => ({ ...packet, time: packet.time + 500 })),
    )
    conversation.packets.push({ ...conversation.packets[0], time: conversation.time })
    const { recorder } = follow(conversation.packets)
    expect(recorder.flows.length).toBe(1)
    expect(recorder.kinds().at(-1)).toBe('close')
  })

  test('is reported once for each flow that was opened', () => {
    const conversations = [0, 1, 2, 3].map((port) =>
      new Conversation({ clientPort: 2000 + port }).handshake(),
    )
    conversations[1].close()
    conversations[2].reset(1)
    const { recorder, streams } = follow(conversations.flatMap(({ packets }) => packets))
    expect(recorder.kinds().filter((kind) => kind === 'close').length).toBe(4)
    expect(streams.flowCount).toBe(0)
  })
})

describe('the same ports again', () => {
  test('are another flow after an end', () => {
    const first = new Conversation().handshake().send(0, 'a').close()
    const second = new Conversation({ clientIsn: 77_777, start: first.time + 10 }).handshake().send(0, 'b')
    const { recorder } = follow([...first.packets, ...second.packets])
    expect(recorder.flows.map((flow) => flow.closed)).toEqual(['fin', 'end-of-capture'])
    expect(recorder.flows[0].id).not.toBe(recorder.flows[1].id)
    expect(recorder.text(0, recorder.flows[1])).toBe('b')
  })

  test('are another flow where the end was not seen', () => {
    const first = new Conversation().handshake().send(0, 'a')
    const second = new Conversation({ clientIsn: 77_777, start: first.time + 10 }).handshake().send(0, 'b')
    const { recorder } = follow([...first.packets, ...second.packets])
    expect(recorder.flows.map((flow) => flow.closed)).toEqual(['reused', 'end-of-capture'])
  })

  test('are another flow where only the SYN-ACK of the new one was seen', () => {
    const first = new Conversation().handshake().send(0, 'a')
    const second = new Conversation({ clientIsn: 77_777, serverIsn: 99_999, start: first.time + 10 })
    second.handshake().drop(0).send(0, 'b')
    const { recorder } = follow([...first.packets, ...second.packets])
    expect(recorder.flows.map((flow) => flow.closed)).toEqual(['reused', 'end-of-capture'])
    expect(recorder.text(0, recorder.flows[1])).toBe('b')
  })

  test('are the same flow where a SYN is only repeated', () => {
    const conversation = new Conversation().handshake()
    const [syn] = conversation.packets
    conversation.packets.unshift({ ...syn, time: syn.time - 1_000_000 })
    const { recorder } = follow(conversation.packets)
    expect(recorder.flows.length).toBe(1)
    expect(recorder.flows[0].tcp?.retransmissions).toBe(1)
  })

  test('are the same flow where both ends open at once', () => {
    const ends = { src: '10.0.0.1', dst: '10.0.0.2', sport: 5000, dport: 5001 }
    const back = { src: '10.0.0.2', dst: '10.0.0.1', sport: 5001, dport: 5000 }
    const frames = [
      tcpFrame({ ...ends, seq: 100, flags: FLAG.syn }),
      tcpFrame({ ...back, seq: 900, flags: FLAG.syn }),
      tcpFrame({ ...ends, seq: 100, ack: 901, flags: FLAG.syn | FLAG.ack }),
      tcpFrame({ ...back, seq: 900, ack: 101, flags: FLAG.syn | FLAG.ack }),
      tcpFrame({ ...ends, seq: 101, ack: 901, payload: 'hello' }),
      tcpFrame({ ...back, seq: 901, ack: 106, payload: 'hi' }),
    ]
    const { recorder } = follow(frames.map((data, index) => ({ data, time: 1e15 + index })))
    expect(recorder.flows.length).toBe(1)
    expect([recorder.text(0), recorder.text(1)]).toEqual(['hello', 'hi'])
    expect(recorder.flows[0].tcp?.retransmissions).toBe(0)
  })

  test('are the same flow where the capture has the SYN after the SYN-ACK', () => {
    const { recorder } = follow(new Conversation().handshake().swap(0, 1).send(0, 'a').packets)
    expect(recorder.flows.length).toBe(1)
    expect(recorder.text(0)).toBe('a')
    expect(recorder.flows[0].tcp?.completeness).toBe(15)
  })
})

test('bytes that a SYN brings along are the first of the stream', () => {
  const conversation = new Conversation().segment(0, FLAG.syn, 'early').segment(1, FLAG.syn | FLAG.ack)
  conversation.segment(0, FLAG.ack).send(0, ' late')
  const { recorder } = follow(conversation.packets)
  expect(recorder.text(0)).toBe('early late')
})

test('a keep-alive that begins a capture leaves no hole', () => {
  const ends = { src: '10.0.0.1', dst: '10.0.0.2', sport: 5000, dport: 80 }
  const back = { src: '10.0.0.2', dst: '10.0.0.1', sport: 80, dport: 5000 }
  const frames = [
    tcpFrame({ ...ends, seq: 999, ack: 500 }),
    tcpFrame({ ...back, seq: 500, ack: 1000 }),
    tcpFrame({ ...ends, seq: 1000, ack: 500, payload: 'on' }),
  ]
  const { recorder } = follow(frames.map((data, index) => ({ data, time: 1e15 + index })))
  expect(recorder.text(0)).toBe('on')
})

test('the initial sequence numbers are known while a connection is open, and afterwards', () => {
  for (let number = 0; number < 200; number++) {
    const [clientIsn, serverIsn] = [977 * number, 733 * number]
    const talk = new Conversation({ clientIsn, serverIsn, start: 1e15 + 1e6 * number })
    const { packets } = talk.handshake().send(0, 'a'.repeat(number)).send(1, 'b')
    const recorder = new Recorder()
    const streams = new Streams(recorder)
    feed(streams, packets)
    expect(recorder.flows[0].sequences).toEqual([clientIsn, serverIsn])
    streams.end()
    expect(recorder.flows[0].closed).toBe('end-of-capture')
    expect(recorder.flows[0].sequences).toEqual([clientIsn, serverIsn])
  }
})
