import { describe, expect, test } from 'vitest'
import type { BuiltPacket } from '../testing/index.ts'
import { be16, concat, follow, frame, ip, timed, udpFrame } from '../testing/index.ts'

const A = '10.0.0.1'
const B = '10.0.0.2'
const START = 1_700_000_000_000_000

const ping = (type: number, src = A, dst = B) =>
  frame(ip(src, dst, src.includes(':') ? 58 : 1, concat(Uint8Array.of(type, 0), be16(0), be16(7), be16(1))))

describe('a UDP flow', () => {
  test('has datagrams of both sides', () => {
    const { recorder } = follow(
      timed([
        udpFrame({ src: A, dst: B, sport: 5000, dport: 53, payload: 'question' }),
        udpFrame({ src: B, dst: A, sport: 53, dport: 5000, payload: 'the answer' }),
      ]),
    )
    expect(recorder.kinds()).toEqual(['open', 'datagram', 'datagram', 'close'])
    expect(recorder.events[2]).toMatchObject({
      side: 1,
      length: 10,
      bytes: new TextEncoder().encode('the answer'),
    })
    expect(recorder.flows[0]).toMatchObject({ transport: 'udp', midstream: false, closed: 'end-of-capture' })
    expect(recorder.flows[0].tcp).toBeUndefined()
    expect(recorder.flows[0].directions[0]).toEqual({ packets: 1, bytes: 60, goodput: 8, missing: 0 })
  })

  test.each([
    [5000, 53, 5000],
    [53, 5000, 5000],
    [53, 53, 53],
    [5000, 6000, 5000],
    [500, 53, 500],
  ])('from port %i to port %i has the client on %i', (sport, dport, client) => {
    const { recorder } = follow(timed([udpFrame({ src: A, dst: B, sport, dport })]))
    expect(recorder.flows[0].ends[0].port).toBe(client)
  })

  test('is over after a minute of silence, and another one follows', () => {
    const data = udpFrame({ src: A, dst: B, sport: 5000, dport: 53 })
    const packets: BuiltPacket[] = [0, 59, 118, 179].map((second) => ({ data, time: START + second * 1e6 }))
    const { recorder } = follow(packets)
    expect(recorder.flows.map((flow) => [flow.closed, flow.directions[0].packets])).toEqual([
      ['idle', 3],
      ['end-of-capture', 1],
    ])
    expect(recorder.events.find((event) => event.kind === 'close')?.time).toBe(START + 118e6)
  })

  test('of one question and its answer is over after five seconds; of more, after a minute', () => {
    const ask = udpFrame({ src: A, dst: B, sport: 5000, dport: 53 })
    const answer = udpFrame({ src: B, dst: A, sport: 53, dport: 5000 })
    const at = (second: number, data: Uint8Array): BuiltPacket => ({ data, time: START + second * 1e6 })
    const lookup = [at(0, ask), at(1, answer)]
    expect(follow([...lookup, at(6, ask)]).recorder.flows.length).toBe(1)
    expect(follow([...lookup, at(7, ask)]).recorder.flows.length).toBe(2)
    expect(follow([...lookup, at(2, ask), at(60, ask)]).recorder.flows.length).toBe(1)
    const other = udpFrame({ src: A, dst: B, sport: 6000, dport: 53 })
    const { recorder } = follow([...lookup, at(13, other)])
    expect(recorder.kinds().slice(0, 4)).toEqual(['open', 'datagram', 'datagram', 'close'])
  })

  test('is over by the time of other flows', () => {
    const packets: BuiltPacket[] = [
      { data: udpFrame({ src: A, dst: B, sport: 5000, dport: 53 }), time: START },
      { data: udpFrame({ src: A, dst: B, sport: 5001, dport: 53 }), time: START + 62e6 },
    ]
    expect(follow(packets).recorder.kinds()).toEqual([
      'open',
      'datagram',
      'close',
      'open',
      'datagram',
      'close',
    ])
  })

  test('is over to the microsecond, whenever the last look at idle flows was', () => {
    const one = udpFrame({ src: A, dst: B, sport: 5000, dport: 53 })
    const other = udpFrame({ src: A, dst: B, sport: 5001, dport: 53 })
    const packets = (last: number): BuiltPacket[] => [
      { data: one, time: START },
      { data: other, time: START + 59.9e6 },
      { data: one, time: START + last },
    ]
    expect(follow(packets(60e6)).recorder.flows.length).toBe(2)
    expect(follow(packets(60e6 + 1)).recorder.flows.length).toBe(3)
  })

  test('tells the true length of a datagram that was cut', () => {
    const data = udpFrame({ src: A, dst: B, sport: 5000, dport: 53, payload: 'x'.repeat(100) })
    const { recorder } = follow([{ data: data.slice(0, 52), time: START, length: data.length }])
    expect(recorder.events[1]).toMatchObject({ length: 100, bytes: new TextEncoder().encode('x'.repeat(10)) })
    expect(recorder.flows[0].directions[0]).toMatchObject({ goodput: 10, missing: 90 })
  })
})

describe('an ICMP flow', () => {
  test('is a pair of hosts, and its datagrams begin with the type', () => {
    const { recorder } = follow(timed([ping(8), ping(0, B, A)]))
    expect(recorder.flows.length).toBe(1)
    expect(recorder.flows[0]).toMatchObject({
      transport: 'icmp',
      ends: [
        { ip: A, port: 0 },
        { ip: B, port: 0 },
      ],
    })
    expect(recorder.events[1]).toMatchObject({
      side: 0,
      length: 8,
      bytes: Uint8Array.of(8, 0, 0, 0, 0, 7, 0, 1),
    })
    expect(recorder.events[2]).toMatchObject({ side: 1 })
  })

  test('that begins with a reply has the receiver for its client', () => {
    expect(follow(timed([ping(0)])).recorder.flows[0].ends[0].ip).toBe(B)
    expect(follow(timed([ping(129, 'fd00::1', 'fd00::2')])).recorder.flows[0].ends[0].ip).toBe('fd00::2')
    expect(follow(timed([ping(128, 'fd00::1', 'fd00::2')])).recorder.flows[0].ends[0].ip).toBe('fd00::1')
  })
})

describe('the number of a flow', () => {
  const id = (src: string, dst: string, sport: number, dport: number, time = START) =>
    follow([{ data: udpFrame({ src, dst, sport, dport }), time }]).recorder.flows[0].id

  test('is the same in every run and from either end', () => {
    expect(id(A, B, 1, 2)).toBe(id(A, B, 1, 2))
    expect(id(A, B, 1, 2)).toBe(id(B, A, 2, 1))
    expect(id(A, B, 1, 2, START + 0.25)).toBe(id(A, B, 1, 2))
    // Written down, because recordings and their dissections outlive a version.
    expect(id(A, B, 1, 2)).toBe(1268066764495874)
  })

  test('differs with address, port and time', () => {
    const ids = [
      id(A, B, 1, 2),
      id(A, B, 2, 1),
      id(A, '10.0.0.3', 1, 2),
      id('fd00::1', 'fd00::2', 1, 2),
      id(A, B, 1, 2, START + 1),
    ]
    expect(new Set(ids).size).toBe(ids.length)
    for (const value of ids) expect(Number.isSafeInteger(value) && value >= 0).toBe(true)
  })

  test('hardly ever repeats', () => {
    const ids = new Set<number>()
    const frames = Array.from({ length: 20_000 }, (_, index) =>
      udpFrame({ src: A, dst: `10.1.${index >> 8}.${index & 255}`, sport: 1024 + (index % 100), dport: 53 }),
    )
    for (const flow of follow(timed(frames, 0)).recorder.flows) ids.add(flow.id)
    expect(ids.size).toBe(20_000)
  })
})
