import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { be16, be32, bytes, concat, follow, frame, ip, timed } from '../testing/index.ts'

const CLIENT = ['10.0.0.1', '10.0.0.2', 40000, 3868] as const
const SERVER = ['10.0.0.2', '10.0.0.1', 3868, 40000] as const

const packet = ([src, dst, sport, dport]: typeof CLIENT | typeof SERVER, ...chunks: readonly Uint8Array[]) =>
  frame(ip(src, dst, 132, concat(be16(sport), be16(dport), be32(1), be32(0), ...chunks)))

const chunk = (type: number, flags: number, body: Uint8Array) =>
  concat(Uint8Array.of(type, flags), be16(4 + body.length), body, new Uint8Array(-body.length & 3))

const WHOLE = 3
const FIRST = 2
const MIDDLE = 0
const LAST = 1
const data = (tsn: number, text: string, flags = WHOLE) =>
  chunk(0, flags, concat(be32(tsn), be16(0), be16(0), be32(46), bytes(text)))
const init = (tag: number) => chunk(1, 0, concat(be32(tag), new Uint8Array(12)))

function messages(frames: readonly Uint8Array[], options = {}) {
  const { recorder, streams } = follow(timed(frames), options)
  const heard = recorder.events.flatMap((event) =>
    event.kind === 'datagram' ? [`${event.side}:${new TextDecoder().decode(event.bytes)}`] : [],
  )
  return { heard, recorder, streams }
}

describe('an association', () => {
  test('gives each message as a datagram', () => {
    const { heard, recorder } = messages([
      packet(CLIENT, init(7)),
      packet(SERVER, chunk(2, 0, concat(be32(8), new Uint8Array(12)))),
      packet(CLIENT, data(1, 'one'), data(2, 'two!')),
      packet(SERVER, chunk(3, 0, new Uint8Array(12)), data(100, 'answer')),
    ])
    expect(heard).toEqual(['0:one', '0:two!', '1:answer'])
    expect(recorder.flows[0]).toMatchObject({ transport: 'sctp', midstream: false })
    expect(recorder.flows[0].ends[0]).toEqual({ ip: '10.0.0.1', port: 40000 })
    expect(recorder.flows[0].directions[0].goodput).toBe(7)
  })

  test('ends with the completed shutdown', () => {
    const { recorder } = messages([
      packet(CLIENT, data(1, 'x')),
      packet(SERVER, chunk(7, 0, be32(1))),
      packet(CLIENT, chunk(8, 0, new Uint8Array(0))),
      packet(SERVER, chunk(14, 0, new Uint8Array(0))),
      packet(SERVER, chunk(14, 0, new Uint8Array(0))),
    ])
    expect(recorder.flows.length).toBe(1)
    expect(recorder.flows[0]).toMatchObject({ closed: 'fin', closedBy: 1, midstream: true })
  })

  test('ends with an abort, which refuses where it answers the first packet', () => {
    const abort = chunk(6, 0, new Uint8Array(0))
    expect(messages([packet(CLIENT, init(7)), packet(SERVER, abort)]).recorder.flows[0].closed).toBe(
      'refused',
    )
    const { recorder } = messages([packet(CLIENT, data(1, 'x')), packet(SERVER, abort)])
    expect(recorder.flows[0]).toMatchObject({ closed: 'reset', closedBy: 1 })
  })

  test('makes way for another one on the same ports', () => {
    const { recorder } = messages([
      packet(CLIENT, init(7)),
      packet(CLIENT, init(7)),
      packet(CLIENT, data(1, 'x')),
      packet(CLIENT, init(9)),
      packet(CLIENT, data(1, 'y')),
    ])
    expect(recorder.flows.map((flow) => flow.closed)).toEqual(['reused', 'end-of-capture'])
  })
})

describe('messages', () => {
  test('that are repeated count once', () => {
    const { heard } = messages([
      packet(CLIENT, data(5, 'a')),
      packet(CLIENT, data(5, 'a')),
      packet(CLIENT, data(4, 'b')),
    ])
    expect(heard).toEqual(['0:a', '0:b'])
  })

  test('in parts become whole in any order, across the wrap of their numbers', () => {
    const parts = [
      data(2 ** 32 - 2, 'one ', FIRST),
      data(2 ** 32 - 1, 'two ', MIDDLE),
      data(0, 'three ', MIDDLE),
      data(1, 'four', LAST),
      data(2, 'next'),
    ]
    fc.assert(
      fc.property(fc.shuffledSubarray(parts, { minLength: parts.length }), (order) => {
        const { heard, streams } = messages(order.map((part) => packet(CLIENT, part)))
        expect(heard.toSorted()).toEqual(['0:next', '0:one two three four'])
        expect(streams.bufferedBytes).toBe(0)
      }),
    )
  })

  test('in parts do not pile up without end', () => {
    const frames = Array.from({ length: 100 }, (_, index) =>
      packet(CLIENT, data(index, 'x'.repeat(50), MIDDLE)),
    )
    const { heard, streams } = messages(frames, { limits: { heldPerSide: 2000 } })
    expect(heard).toEqual([])
    expect(streams.loss.reassembly_overflow).toBeGreaterThan(80)
    expect(streams.bufferedBytes).toBe(0)
  })

  test('that are interleaved are read where they are whole', () => {
    const interleaved = (flags: number) =>
      chunk(64, flags, concat(be32(1), be16(0), be16(0), be32(0), be32(46), bytes('data')))
    expect(messages([packet(CLIENT, interleaved(WHOLE))]).heard).toEqual(['0:data'])
    expect(messages([packet(CLIENT, interleaved(FIRST))]).streams.loss).toEqual({ unknown_packets: 1 })
  })

  test('that the capture cut keep their true length', () => {
    const whole = packet(CLIENT, data(1, 'x'.repeat(100)))
    const { recorder } = follow([
      { data: whole.slice(0, 14 + 20 + 12 + 16 + 10), time: 1e15, length: whole.length },
    ])
    expect(recorder.events[1]).toMatchObject({ length: 100, bytes: bytes('x'.repeat(10)) })
  })

  test('whose chunk has no sense are malformed', () => {
    expect(messages([packet(CLIENT, Uint8Array.of(0, 0, 0, 3))]).streams.loss).toEqual({
      malformed_packets: 1,
    })
    expect(messages([packet(CLIENT, chunk(0, 3, new Uint8Array(4)))]).streams.loss).toEqual({
      malformed_packets: 1,
    })
  })
})
