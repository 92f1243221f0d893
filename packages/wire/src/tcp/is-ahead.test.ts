import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Streams } from '../streams.ts'
import { type BuiltPacket, Conversation, FLAG, feed, follow, Recorder } from '../testing/index.ts'

/** Small letters are segments of the client, capital ones of the server, each of which acknowledges all before it. */
function turns(text: string, options = {}): Conversation {
  const conversation = new Conversation(options).handshake()
  for (const letter of text) conversation.segment(letter < 'a' ? 1 : 0, FLAG.ack, letter)
  return conversation
}

/** Moves the packet at `from` to `to` in the capture; it keeps its time. */
function moved(packets: readonly BuiltPacket[], from: number, to: number): BuiltPacket[] {
  const others = packets.filter((_, index) => index !== from)
  return [...others.slice(0, to), packets[from], ...others.slice(to)]
}

/** The events of both sides, in order. */
function spoken({ events }: Recorder): string {
  return events
    .map((event) => {
      if (event.kind === 'gap') return `[${event.missing}]`
      return event.kind === 'data' ? new TextDecoder().decode(event.bytes) : ''
    })
    .join('')
}

test('a segment captured after its acknowledgement is delivered before it, with its own time', () => {
  const { packets } = turns('aAbBcC')
  const { recorder, streams } = follow(moved(packets, 3, 7))
  expect(spoken(recorder)).toBe('aAbBcC')
  const times = recorder.events.flatMap((event) => (event.kind === 'data' ? [event.time] : []))
  expect(times).toEqual(packets.slice(3).map(({ time }) => time))
  expect(streams.loss).toEqual({})
  expect(streams.bufferedBytes).toBe(0)
})

test('a segment captured after an acknowledgement without data, and after the next one, is not lost', () => {
  const conversation = turns('abc').segment(1, FLAG.ack)
  const { recorder, streams } = follow(moved(conversation.packets, 4, 6))
  expect(recorder.text(0)).toBe('abc')
  expect(streams.loss).toEqual({})
})

test('a byte captured after a later acknowledgement of its sender is not a keep-alive', () => {
  const conversation = turns('aAb').segment(1, FLAG.ack).segment(0, FLAG.ack).segment(1, FLAG.ack, 'B')
  const { recorder } = follow(moved(conversation.packets, 5, 7))
  expect(spoken(recorder)).toBe('aAbB')
  expect(recorder.flows[0].tcp?.keep_alive).toBe(0)
})

test('a segment that was lost is given up after some packets of the connection, before what acknowledges it', () => {
  const recorder = new Recorder()
  const streams = new Streams(recorder, { limits: { latePackets: 6 } })
  const { packets } = turns('aAbBcCdDeE').drop(5)
  feed(streams, packets.slice(0, 11))
  expect(spoken(recorder)).toBe('aA')
  feed(streams, packets.slice(11))
  expect(spoken(recorder)).toBe('aA[1]BcCdDeE')
  expect(streams.bufferedBytes).toBe(0)
})

test('segments that were lost one after another are given up one after another, not each after a wait of its own', () => {
  const recorder = new Recorder()
  const streams = new Streams(recorder, { limits: { latePackets: 12 } })
  const { packets } = turns('aAbBcCdDeEfFgGhHiIjJkKlL').drop(5).drop(8).drop(11)
  feed(streams, packets)
  expect(spoken(recorder)).toBe('aA[1]BcC[1]DeE[1]FgGhHiIjJkKlL')
})

test('a segment that was lost is given up after some time, also by that of other flows', () => {
  const recorder = new Recorder()
  const lossy = turns('aAbB').drop(5)
  const streams = new Streams(recorder)
  feed(streams, lossy.packets)
  expect(spoken(recorder)).toBe('aA')
  feed(streams, turns('', { clientPort: 50_000, start: lossy.time + 2_000_000 }).packets)
  expect(spoken(recorder)).toBe('aAB')
  feed(streams, turns('aAbBc').packets.slice(-1))
  expect(spoken(recorder)).toBe('aAB[1]c')
})

test('a segment that was lost is given up where too much piles up behind it', () => {
  const conversation = turns('a').drop(3)
  for (let count = 0; count < 40; count++) conversation.segment(1, FLAG.ack, 'B'.repeat(1000))
  const { recorder, streams } = follow(conversation.packets, { limits: { heldPerSide: 20_000 } })
  expect(recorder.text(1)).toBe('B'.repeat(40_000))
  expect(streams.loss).toEqual({ reassembly_overflow: 1 })
})

test('a side of which nothing is captured is waited for once', () => {
  const recorder = new Recorder()
  const streams = new Streams(recorder)
  const { packets } = turns('aAbBcC'.repeat(50))
  const server = packets.filter((_, index) => index < 3 || index % 2 === 0)
  feed(streams, server.slice(0, 80))
  expect(recorder.text(1)).toBe('ABC'.repeat(26).slice(0, 77))
  expect(streams.bufferedBytes).toBe(0)
})

test('the end of a side waits for what it acknowledges, and for what comes before it', () => {
  const conversation = turns('aA').fin(1).fin(0).segment(1, FLAG.ack)
  for (const late of [3, 4])
    for (const place of [6, 7]) {
      const { recorder, streams } = follow(moved(conversation.packets, late, place))
      expect(spoken(recorder)).toBe('aA')
      expect(recorder.kinds()).toEqual(['open', 'data', 'data', 'finish', 'finish', 'close'])
      expect(recorder.flows[0].closed).toBe('fin')
      expect(streams.loss).toEqual({})
    }
})

test('ends that acknowledge what the other never sent do not wait for each other', () => {
  const recorder = new Recorder()
  const streams = new Streams(recorder)
  const conversation = new Conversation().handshake()
  const ahead = new Conversation().handshake().segment(0, FLAG.ack, 'xx').segment(1, FLAG.ack, 'XX')
  ahead.segment(0, FLAG.ack, 'ab', 1001).segment(1, FLAG.ack, 'AB', 5001)
  feed(streams, [...conversation.packets, ...ahead.packets.slice(5)])
  expect(spoken(recorder)).toBe('')
  feed(streams, conversation.wait(250_000).segment(0, FLAG.ack, 'c', 1003).packets.slice(-1))
  expect([...spoken(recorder)].sort().join('')).toBe('ABabc')
  expect(streams.bufferedBytes).toBe(0)
})

test('packets captured a few places too late give the same events', () => {
  const lateness = fc.array(fc.tuple(fc.nat(60), fc.integer({ min: 1, max: 8 })), { maxLength: 30 })
  const text = fc.string({ unit: fc.constantFrom('a', 'b', 'A', 'B'), minLength: 1, maxLength: 60 })
  fc.assert(
    fc.property(text, lateness, (spokenText, late) => {
      const conversation = turns(spokenText).close()
      let { packets }: { packets: readonly BuiltPacket[] } = conversation
      for (const [at, places] of late)
        if (3 + at < packets.length - 1) packets = moved(packets, 3 + at, 3 + at + places)
      const { recorder, streams } = follow(packets)
      expect(spoken(recorder)).toBe(spokenText)
      expect(recorder.flows.length).toBe(1)
      expect(recorder.flows[0].closed).toBe('fin')
      expect(streams.loss).toEqual({})
      expect(streams.bufferedBytes).toBe(0)
    }),
    { numRuns: 200 },
  )
})
