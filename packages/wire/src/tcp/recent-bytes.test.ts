import { describe, expect, test } from 'vitest'
import { Streams } from '../streams.ts'
import { type BuiltPacket, Conversation, ETHERNET, FLAG, follow, Recorder } from '../testing/index.ts'

/** The first byte of the client. */
const FIRST = 1001

/** Those of the one connection: the same where other bytes stand around each packet. */
function conflictsOf(packets: readonly BuiltPacket[]): number | undefined {
  const [alone, among] = [0, 64].map((around) => {
    const recorder = new Recorder()
    const streams = new Streams(recorder)
    for (const { data, time, length } of packets) {
      const memory = new Uint8Array(data.length + 2 * around).fill(0x58)
      memory.set(data, around)
      streams.packet(memory, around, around + data.length, length ?? data.length, time, ETHERNET)
    }
    streams.end()
    expect(recorder.flows).toHaveLength(1)
    return recorder.flows[0].tcp?.overlap_conflicts
  })
  expect(among).toBe(alone)
  return alone
}

/** `texts` one after the other, each in a segment, and then a segment at some place of the client's stream. */
function then(texts: readonly string[], text: string, at: number, clientIsn = FIRST - 1): Conversation {
  const talk = new Conversation({ clientIsn, step: 1000, firstId: 1 }).handshake()
  for (const one of texts) talk.segment(0, FLAG.ack, one)
  return talk.wait(250_000).segment(0, FLAG.ack, text, (clientIsn + 1 + at) >>> 0)
}

describe('a segment with other bytes than were delivered is a contradiction', () => {
  test.each<[string, readonly string[], string, number]>([
    ['the same length', ['GET /a HTTP/1.1\r\n'], 'GET /b HTTP/1.1\r\n', 0],
    ['a shorter one', ['GET /a HTTP/1.1\r\n'], 'GET /b', 0],
    ['a longer one, whose rest is new', ['GET /a HTTP/1.1\r\n'], 'GET /b HTTP/1.1\r\nHost: a\r\n\r\n', 0],
    ['one that begins in the middle', ['abcdef'], 'dXf', 3],
    ['one that begins before', ['abc', 'def'], 'abcdeX', 0],
    ['the last but three', ['abc', 'def', 'ghi', 'jkl'], 'abX', 0],
    ['the sixteenth byte', ['0123456789abcdefgh'], '0123456789abcdeX', 0],
  ])('%s', (_name, texts, text, at) => {
    expect(conflictsOf(then(texts, text, at).packets)).toBe(1)
    // Sequence numbers that wrap, and one sign that changes.
    for (const clientIsn of [2 ** 32 - 3, 2 ** 31 - 3])
      expect(conflictsOf(then(texts, text, at, clientIsn).packets)).toBe(1)
  })

  test('also at once, with an identification that its sender used', () => {
    const talk = new Conversation({ step: 100, firstId: 1 }).handshake().segment(0, FLAG.ack, 'abcdef')
    const other = new Conversation({ step: 100, firstId: 1 }).handshake().segment(0, FLAG.ack, 'abXdef')
    const copies = [talk, other].map(({ packets }) => ({ ...packets.at(-1)!, time: talk.time }))
    const { streams, recorder } = follow([...talk.packets, ...copies])
    expect([streams.duplicateCaptures, recorder.flows[0].tcp?.overlap_conflicts]).toEqual([1, 1])
  })

  test('counts once, also where bytes that wait for a gap are other ones, too', () => {
    const talk = new Conversation({ step: 1000, firstId: 1 }).handshake().segment(0, FLAG.ack, 'abc')
    talk.segment(0, FLAG.ack, 'ghi', FIRST + 6)
    expect(conflictsOf(talk.segment(0, FLAG.ack, 'abXdefgXi', FIRST).packets)).toBe(1)
  })

  test('also of bytes that came out of order, and of the server', () => {
    const talk = new Conversation({ step: 1000, firstId: 1 }).handshake()
    talk.segment(0, FLAG.ack, 'def', FIRST + 3).segment(0, FLAG.ack, 'abc', FIRST)
    expect(conflictsOf(talk.packets)).toBe(0)
    expect(conflictsOf(talk.segment(0, FLAG.ack, 'X', FIRST + 4).packets)).toBe(1)
    talk.segment(1, FLAG.ack, 'HTTP/1.1 200 OK\r\n').wait(250_000)
    expect(conflictsOf(talk.segment(1, FLAG.ack, 'HTTP/1.1 302 Found\r\n', 5001).packets)).toBe(2)
  })
})

describe('no contradiction is', () => {
  test.each<[string, readonly string[], string, number]>([
    ['the same bytes', ['abc', 'def'], 'abcdef', 0],
    ['a part of them', ['abcdef'], 'cde', 2],
    ['the same bytes and new ones', ['abc', 'def'], 'efgh', 4],
    ['bytes after those that are remembered of a segment', [`${'a'.repeat(16)}b`], `${'a'.repeat(16)}X`, 0],
    ['bytes of a segment that is not remembered any more', ['abc', 'd', 'e', 'f', 'g'], 'X', 0],
  ])('%s', (_name, texts, text, at) => {
    expect(conflictsOf(then(texts, text, at).packets)).toBe(0)
  })

  test('the byte of a keep-alive, also where it is captured twice', () => {
    const { packets } = then(['abc'], '\0', 2)
    expect(conflictsOf(packets)).toBe(0)
    const { recorder, streams } = follow([...packets, packets.at(-1)!])
    expect(recorder.flows[0].tcp).toMatchObject({ overlap_conflicts: 0, keep_alive: 1 })
    expect(streams.duplicateCaptures).toBe(1)
  })

  test('a byte that the capture cut off', () => {
    const { packets } = then(['abcdef'], 'abcdeX', 0)
    const headers = 54
    for (const cut of [packets.length - 2, packets.length - 1]) {
      const some = packets.map((packet, at) =>
        at === cut
          ? { ...packet, data: packet.data.slice(0, headers + 5), length: packet.data.length }
          : packet,
      )
      expect(conflictsOf(some)).toBe(0)
    }
  })

  test('what a former connection on the same ports said', () => {
    const first = then(['abc'], 'def', 3).close()
    const second = new Conversation({ clientIsn: FIRST - 1 + 50_000, start: first.time + 1e6 }).handshake()
    second.segment(0, FLAG.ack, 'XYZ').segment(0, FLAG.ack, 'XYZ', FIRST + 50_000)
    const { recorder } = follow([...first.packets, ...second.packets])
    expect(recorder.flows.map(({ tcp }) => tcp?.overlap_conflicts)).toEqual([0, 0])
  })
})
