import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { Streams } from '../streams.ts'
import {
  type BuiltPacket,
  Conversation,
  FLAG,
  feed,
  follow,
  Recorder,
  tcpFrame,
  trials,
} from '../testing/index.ts'

/** A conversation whose packets after the handshake are one segment a letter. */
function letters(text: string, options = {}): Conversation {
  const conversation = new Conversation(options).handshake()
  for (const letter of text) conversation.segment(0, FLAG.ack, letter)
  return conversation
}

test('hands on the bytes of a packet that comes in order without copying them', () => {
  const { packets } = letters('abc')
  const seen: Uint8Array[] = []
  const streams = new Streams({
    open() {},
    data: (_flow, _side, bytes) => seen.push(bytes),
    gap() {},
    datagram() {},
    finish() {},
    close() {},
  })
  feed(streams, packets)
  expect(seen.length).toBe(3)
  for (const [index, bytes] of seen.entries()) expect(bytes).toBe(packets[3 + index].data)
})

describe('out of order', () => {
  test('waits for what is missing', () => {
    const { recorder, streams } = follow(letters('abcdef').swap(4, 6).packets)
    expect(recorder.text(0)).toBe('abcdef')
    expect(streams.bufferedBytes).toBe(0)
    expect(streams.loss).toEqual({})
  })

  test('takes bytes for arrived when all before them had', () => {
    const { packets } = letters('abc').swap(4, 5)
    const { recorder } = follow(packets)
    const times = recorder.events.flatMap((event) => (event.kind === 'data' ? [event.time] : []))
    expect(times).toEqual([packets[3].time, packets[5].time, packets[5].time])
  })

  test('wraps around the end of the sequence numbers', () => {
    const isn = 2 ** 32 - 5
    expect(follow(letters('abcdefghij', { clientIsn: isn }).packets).recorder.text(0)).toBe('abcdefghij')
    expect(
      follow(letters('abcdefghij', { clientIsn: isn }).swap(5, 9).swap(4, 7).packets).recorder.text(0),
    ).toBe('abcdefghij')
    expect(
      follow(letters('abcdefghij', { clientIsn: 2 ** 31 - 5 }).swap(5, 9).packets).recorder.text(0),
    ).toBe('abcdefghij')
  })
})

describe('repeated and overlapping', () => {
  test('hands each byte on once', () => {
    const conversation = letters('abc')
    conversation
      .segment(0, FLAG.ack, 'bc', 1002)
      .segment(0, FLAG.ack, 'abcd', 1001)
      .segment(0, FLAG.ack, 'e', 1005)
    const { recorder } = follow(conversation.packets)
    expect(recorder.text(0)).toBe('abcde')
    expect(recorder.flows[0].directions[0].goodput).toBe(5)
    expect(recorder.flows[0].tcp?.retransmissions).toBe(2)
  })

  test('keeps the first copy of a byte and counts the contradiction', () => {
    const conversation = new Conversation().handshake()
    conversation
      .segment(0, FLAG.ack, 'DEF', 1004)
      .segment(0, FLAG.ack, 'XYZg', 1004)
      .segment(0, FLAG.ack, 'abcdQ', 1001)
    const { recorder } = follow(conversation.packets)
    expect(recorder.text(0)).toBe('abcDEFg')
    expect(recorder.flows[0].tcp?.overlap_conflicts).toBe(2)
  })

  test('finds no contradiction in the same bytes', () => {
    const conversation = new Conversation().handshake()
    conversation
      .segment(0, FLAG.ack, 'def', 1004)
      .segment(0, FLAG.ack, 'cdefg', 1003)
      .segment(0, FLAG.ack, 'ab', 1001)
    const { recorder } = follow(conversation.packets)
    expect(recorder.text(0)).toBe('abcdefg')
    expect(recorder.flows[0].tcp?.overlap_conflicts).toBe(0)
  })
})

describe('a hole', () => {
  test('is given up after two seconds of packet time', () => {
    const recorder = new Recorder()
    const streams = new Streams(recorder)
    feed(streams, letters('abcd').drop(4).wait(1_900_000).segment(0, FLAG.ack, 'e').packets)
    expect(recorder.text(0)).toBe('a')
    expect(streams.bufferedBytes).toBeGreaterThan(3)
    const late = letters('abcde').wait(2_100_000).segment(0, FLAG.ack, 'f').packets.slice(-1)
    feed(streams, late)
    expect(recorder.text(0)).toBe('a[1]cdef')
    expect(streams.loss).toEqual({ gaps: 1, gap_bytes: 1 })
    expect(recorder.flows[0].directions[0].missing).toBe(1)
    expect(streams.bufferedBytes).toBe(0)
  })

  test('is given up by the time of other flows too', () => {
    const lossy = letters('abc').drop(4)
    const other = letters('x', { clientPort: 50_000, start: lossy.time + 4_000_000 })
    const { recorder } = follow([...lossy.packets, ...other.packets])
    const gap = recorder.events.findIndex((event) => event.kind === 'gap')
    const opened = recorder.events.findIndex(
      (event) => event.kind === 'open' && event.flow === recorder.flows[1],
    )
    expect(gap).toBeLessThan(opened)
    expect(gap).toBeGreaterThan(0)
  })

  test('is given up soon where the peer acknowledged what was in it', () => {
    const recorder = new Recorder()
    const streams = new Streams(recorder)
    const conversation = letters('abc').drop(4).segment(1, FLAG.ack)
    feed(streams, conversation.packets.splice(0))
    expect(recorder.text(0)).toBe('a')
    feed(streams, conversation.wait(250_000).segment(1, FLAG.ack).packets)
    expect(recorder.kinds()).toEqual(['open', 'data', 'gap', 'data'])
    expect(recorder.text(0)).toBe('a[1]c')
  })

  test('is waited for while the peer still asks for it', () => {
    const conversation = letters('abc')
    const [filler] = conversation.packets.splice(4, 1)
    conversation.packets.push({ ...filler, time: conversation.time })
    expect(follow(conversation.packets).recorder.text(0)).toBe('abc')
  })

  test('is given up where too much piles up behind it', () => {
    const conversation = new Conversation().handshake().send(0, 'a'.repeat(1460)).drop(3)
    for (let count = 0; count < 40; count++) conversation.segment(0, FLAG.ack, 'b'.repeat(1000))
    conversation.packets.splice(3, 1)
    const limits = { heldPerSide: 20_000 }
    const { recorder, streams } = follow(conversation.packets, { limits })
    expect(recorder.text(0)).toBe(`[1460]${'b'.repeat(40_000)}`)
    expect(streams.loss).toEqual({ gaps: 1, gap_bytes: 1460, reassembly_overflow: 1 })
  })

  test('is reported when the connection ends before it was filled', () => {
    const { recorder } = follow(letters('abc').drop(4).packets)
    expect(recorder.text(0)).toBe('a[1]c')
    expect(recorder.flows[0].closed).toBe('end-of-capture')
  })

  test('before the FIN is reported before the end of that side', () => {
    const conversation = letters('ab').drop(4).fin(0).fin(1).segment(0, FLAG.ack)
    const { recorder } = follow(conversation.packets)
    expect(recorder.kinds()).toEqual(['open', 'data', 'gap', 'finish', 'finish', 'close'])
    expect(recorder.flows[0].closed).toBe('fin')
  })

  test('where a segment never came although it was acknowledged, shows after the next one', () => {
    const recorder = new Recorder()
    const conversation = letters('ab').drop(4).segment(1, FLAG.ack).segment(0, FLAG.ack, 'c')
    feed(new Streams(recorder), conversation.wait(250_000).segment(1, FLAG.ack).packets)
    expect(recorder.text(0)).toBe('a[1]c')
  })
})

describe('a snap length', () => {
  test('leaves a hole in each segment that it cut', () => {
    const conversation = new Conversation().handshake()
    conversation
      .segment(0, FLAG.ack, 'a'.repeat(100))
      .segment(0, FLAG.ack, 'b'.repeat(100))
      .cut(54 + 60)
    const { recorder, streams } = follow(conversation.packets)
    expect(recorder.text(0)).toBe(`${'a'.repeat(60)}[40]${'b'.repeat(60)}[40]`)
    expect(streams.loss).toEqual({ cut_packets: 2, gaps: 2, gap_bytes: 80 })
    expect(recorder.flows[0].directions[0]).toMatchObject({ goodput: 120, missing: 80 })
  })

  test('that ends inside the options leaves the whole payload missing', () => {
    const conversation = new Conversation().handshake()
    const ends = { src: '10.0.0.1', dst: '10.0.0.2', sport: 40000, dport: 80 }
    const options = new Uint8Array(12).fill(1)
    const data = tcpFrame({ ...ends, seq: 1001, ack: 5001, options, payload: 'a'.repeat(100) })
    conversation.packets.push({ data, time: conversation.time })
    expect(follow(conversation.cut(60).packets).recorder.text(0)).toBe('[100]')
  })

  test('holds for segments that came too early as well', () => {
    const conversation = new Conversation().handshake()
    conversation
      .segment(0, FLAG.ack, 'a'.repeat(100))
      .segment(0, FLAG.ack, 'b'.repeat(100))
      .cut(54 + 60)
      .swap(3, 4)
    expect(follow(conversation.packets).recorder.text(0)).toBe(`${'a'.repeat(60)}[40]${'b'.repeat(60)}[40]`)
  })
})

test('a segment half the sequence space away is no part of the stream', () => {
  const conversation = letters('a').segment(0, FLAG.ack, 'far', 1002 + 2 ** 31)
  conversation.segment(0, FLAG.ack, 'b', 1002)
  expect(follow(conversation.packets).recorder.text(0)).toBe('ab')
})

/** Any segmentation, order and repetition of one stream, with the SYN before it. */
const scrambled = fc
  .record({
    size: fc.integer({ min: 1, max: 400 }),
    isn: fc.constantFrom(1000, 2 ** 32 - 100, 2 ** 31 - 100),
    pieces: fc.array(fc.tuple(fc.nat(399), fc.integer({ min: 1, max: 60 })), { maxLength: 60 }),
    cover: fc.integer({ min: 1, max: 50 }),
    order: fc.infiniteStream(fc.nat(1_000_000)),
  })
  .map(({ size, isn, pieces, cover, order }) => {
    const text = Array.from({ length: size }, (_, index) =>
      String.fromCharCode(33 + ((index * 7) % 90)),
    ).join('')
    const covering = Array.from(
      { length: Math.ceil(size / cover) },
      (_, index) => [index * cover, cover] as const,
    )
    const parts = [...pieces, ...covering]
      .filter(([at]) => at < size)
      .map((part) => ({ part, key: order.next().value ?? 0 }))
      .sort((a, b) => a.key - b.key)
    const conversation = new Conversation({ clientIsn: isn }).handshake()
    for (const { part } of parts) {
      const [at, length] = part
      conversation.segment(0, FLAG.ack, text.slice(at, at + length), (isn + 1 + at) >>> 0)
    }
    return { text, conversation }
  })

test('any segmentation, order and repetition gives the same stream', () => {
  fc.assert(
    fc.property(scrambled, ({ text, conversation }) => {
      const { recorder, streams } = follow(conversation.packets)
      expect(recorder.text(0)).toBe(text)
      expect(streams.bufferedBytes).toBe(0)
      expect(recorder.flows[0].directions[0].goodput).toBe(text.length)
      expect(recorder.flows[0].tcp?.overlap_conflicts).toBe(0)
    }),
    { numRuns: trials(400, 60) },
  )
})

test('any loss shows as holes of the right size between the right bytes', () => {
  fc.assert(
    fc.property(
      scrambled,
      fc.infiniteStream(fc.boolean()),
      fc.integer({ min: 200, max: 5000 }),
      ({ text, conversation }, keep, heldPerSide) => {
        const packets: BuiltPacket[] = conversation.packets.filter(
          (_packet, index) => index < 3 || keep.next().value === true,
        )
        const limits = { heldPerSide, held: 4000 }
        const { recorder, streams } = follow(packets, { limits })
        let at = 0
        for (const event of recorder.events)
          if (event.kind === 'gap') at += event.missing
          else if (event.kind === 'data') {
            const bytes = new TextDecoder().decode(event.bytes)
            expect(bytes).toBe(text.slice(at, at + bytes.length))
            at += bytes.length
          }
        const { goodput, missing } = recorder.flows[0].directions[0]
        expect(goodput + missing).toBe(at)
        expect(streams.loss.gap_bytes ?? 0).toBe(missing)
        expect(streams.bufferedBytes).toBe(0)
      },
    ),
    { numRuns: trials(400, 60) },
  )
})
