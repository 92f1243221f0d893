import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Datagram } from './datagram.ts'
import type { Flow } from './flow.ts'
import { Streams } from './streams.ts'
import {
  type BuiltPacket,
  Conversation,
  FLAG,
  feed,
  follow,
  frame,
  ip,
  ipv4,
  Recorder,
  tcpSegment,
  udpDatagram,
  udpFrame,
} from './testing/index.ts'

/** Checks that flows open, speak and close in a sensible order; keeps no bytes. */
class Judge {
  readonly #open = new Set<Flow>()

  get remaining(): number {
    return this.#open.size
  }

  open(flow: Flow): void {
    if (this.#open.has(flow)) throw new Error('opened twice')
    this.#open.add(flow)
  }

  data(flow: Flow, side: number, bytes: Uint8Array, start: number, end: number): void {
    this.#known(flow, side)
    if (!(start >= 0 && start < end && end <= bytes.length)) throw new Error(`bytes ${start} to ${end}`)
  }

  gap(flow: Flow, side: number, missing: number): void {
    this.#known(flow, side)
    if (!(missing > 0)) throw new Error(`gap of ${missing}`)
  }

  datagram(flow: Flow, side: number, { data, at, end, wire }: Datagram): void {
    this.#known(flow, side)
    if (!(at >= 0 && at <= end && end <= data.length && wire >= end))
      throw new Error(`datagram ${at} to ${end} of ${wire}`)
  }

  finish(flow: Flow, side: number): void {
    this.#known(flow, side)
  }

  close(flow: Flow): void {
    this.#known(flow, 0)
    if (flow.closed === undefined) throw new Error('closed without a reason')
    this.#open.delete(flow)
  }

  #known(flow: Flow, side: number): void {
    if (!this.#open.has(flow) || (side !== 0 && side !== 1))
      throw new Error('events of a flow that is not open')
  }
}

const LIMITS = { flows: 20, heldPerSide: 4000, held: 8000, fragments: 6000, fragmentedDatagrams: 5 }
/** A piece is booked before the ceiling is looked at: one frame more, and what it costs. */
const SLACK = 3000

function survive(packets: Iterable<BuiltPacket>, link: number): void {
  const judge = new Judge()
  const streams = new Streams(judge, { limits: LIMITS })
  for (const { data, time, length } of packets) {
    streams.packet(data, 0, data.length, length ?? data.length, time, link)
    if (streams.flowCount > LIMITS.flows) throw new Error(`${streams.flowCount} flows`)
    const { bufferedBytes } = streams
    if (bufferedBytes > LIMITS.held + LIMITS.fragments + SLACK) throw new Error(`${bufferedBytes} bytes held`)
  }
  streams.end()
  expect(streams.flowCount).toBe(0)
  expect(streams.bufferedBytes).toBe(0)
  expect(judge.remaining).toBe(0)
}

const time = fc.oneof(
  fc.integer({ min: 0, max: 10_000_000 }),
  fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
)
const links = [1, 0, 108, 113, 276, 101, 12, 14, 228, 229, 99]

describe('whatever comes', () => {
  test('bytes that are no packets', () => {
    const packet = fc.record({
      data: fc.uint8Array({ maxLength: 200 }),
      time,
      length: fc.integer({ min: 200, max: 2 ** 32 }),
    })
    fc.assert(
      fc.property(fc.array(packet, { maxLength: 50 }), fc.constantFrom(...links), (packets, link) =>
        survive(packets, link),
      ),
      { numRuns: 100 },
    )
  })

  test('segments with any numbers and flags', () => {
    const payload = fc.uint8Array({ maxLength: 300 })
    const number = fc.oneof(fc.integer({ min: 900, max: 1500 }), fc.integer({ min: 0, max: 2 ** 32 - 1 }))
    const segment = fc.record({
      sport: fc.integer({ min: 1, max: 6 }),
      dport: fc.integer({ min: 1, max: 6 }),
      seq: number,
      ack: number,
      flags: fc.oneof(fc.constant(16), fc.integer({ min: 0, max: 63 })),
      window: fc.constantFrom(0, 100, 65535),
      payload,
    })
    const built = fc
      .record({ segment, time, back: fc.boolean(), cut: fc.integer({ min: 0, max: 400 }) })
      .map((made) => {
        const [src, dst] = made.back ? ['10.0.0.2', '10.0.0.1'] : ['10.0.0.1', '10.0.0.2']
        const whole = frame(ip(src, dst, 6, tcpSegment({ src, dst, ...made.segment })))
        return {
          data: whole.slice(0, Math.max(40, whole.length - made.cut)),
          time: made.time,
          length: whole.length,
        }
      })
    fc.assert(
      fc.property(fc.array(built, { maxLength: 200, size: 'max' }), (packets) => survive(packets, 1)),
      { numRuns: 100 },
    )
  })

  test('fragments, tunnels and chunks with any content', () => {
    const protocol = fc.constantFrom(0, 1, 4, 6, 17, 41, 43, 44, 47, 51, 58, 60, 132, 50)
    const built = fc
      .record({
        protocol,
        payload: fc.uint8Array({ maxLength: 200 }),
        first: fc.uint8Array({ minLength: 4, maxLength: 4 }),
        offset: fc.constantFrom(0, 0, 0, 8, 64, 65_000),
        more: fc.boolean(),
        id: fc.nat(6),
        port: fc.constantFrom(4789, 8472, 6081, 53),
        v6: fc.boolean(),
        time,
      })
      .map((made) => {
        const payload =
          made.protocol === 17
            ? udpDatagram({ src: '', dst: '', sport: 9, dport: made.port, payload: made.payload })
            : made.payload
        const packet = made.v6
          ? ip('fd00::1', 'fd00::2', made.protocol, payload)
          : ipv4('10.0.0.1', '10.0.0.2', made.protocol, payload, made)
        return { data: frame(packet), time: made.time }
      })
    fc.assert(
      fc.property(fc.array(built, { maxLength: 150, size: 'max' }), (packets) => survive(packets, 1)),
      { numRuns: 100 },
    )
  })

  test('packets of a real conversation with any bytes changed', () => {
    const { packets } = new Conversation()
      .handshake()
      .send(0, 'x'.repeat(3000))
      .send(1, 'y'.repeat(3000))
      .close()
    const change = fc.tuple(fc.nat(packets.length - 1), fc.nat(100), fc.integer({ min: 0, max: 255 }))
    fc.assert(
      fc.property(fc.array(change, { maxLength: 20 }), (changes) => {
        const changed = packets.map(({ data, time: at }) => ({ data: data.slice(), time: at }))
        for (const [which, at, value] of changes) changed[which].data[at % changed[which].data.length] = value
        survive(changed, 1)
      }),
      { numRuns: 100 },
    )
  })
})

describe('ceilings', () => {
  test('close the longest idle flow for a new one, and tell', () => {
    const packets: BuiltPacket[] = [1, 2, 3, 1, 4].map((port, index) => ({
      data: udpFrame({ src: '10.0.0.1', dst: '10.0.0.2', sport: 5000 + port, dport: 53 }),
      time: 1e15 + index * 2e6,
    }))
    const { recorder, streams } = follow(packets, { limits: { flows: 3 } })
    expect(recorder.flows.map((flow) => flow.closed)).toEqual([
      'end-of-capture',
      'evicted',
      'end-of-capture',
      'end-of-capture',
    ])
    expect(streams.loss).toEqual({ evicted_flows: 1 })
  })

  test('first forget flows that are over, which is no loss', () => {
    const over = new Conversation().handshake().close()
    const others = [1, 2].map((port) => ({
      data: udpFrame({ src: '10.0.0.1', dst: '10.0.0.2', sport: 5000 + port, dport: 53 }),
      time: over.time + port,
    }))
    const { recorder, streams } = follow([...over.packets, ...others], { limits: { flows: 2 } })
    expect(recorder.flows.map((flow) => flow.closed)).toEqual(['fin', 'end-of-capture', 'end-of-capture'])
    expect(streams.loss).toEqual({})
  })

  test('for held bytes hold over all flows together', () => {
    const recorder = new Recorder()
    const streams = new Streams(recorder, { limits: { held: 50_000 } })
    for (let port = 0; port < 100; port++) {
      const conversation = new Conversation({ clientPort: 5000 + port }).handshake()
      for (let count = 0; count < 5; count++) conversation.segment(0, FLAG.ack, 'x'.repeat(1000))
      feed(streams, conversation.packets.toSpliced(3, 1))
      expect(streams.bufferedBytes).toBeLessThanOrEqual(50_000 + 4 * 1200)
    }
    expect(streams.loss.reassembly_overflow).toBeGreaterThan(0)
    streams.end()
    expect(streams.bufferedBytes).toBe(0)
    expect(
      recorder.flows.every(
        (flow) => flow.directions[0].goodput === 4000 && flow.directions[0].missing === 1000,
      ),
    ).toBe(true)
  })
})

test('`advance` lets time pass without packets', () => {
  const recorder = new Recorder()
  const streams = new Streams(recorder)
  feed(streams, [
    { data: udpFrame({ src: '10.0.0.1', dst: '10.0.0.2', sport: 5000, dport: 53 }), time: 1e15 },
  ])
  streams.advance(1e15 + 59e6)
  expect(recorder.kinds()).toEqual(['open', 'datagram'])
  streams.advance(1e15 + 61e6)
  expect(recorder.kinds()).toEqual(['open', 'datagram', 'close'])
  expect(streams.flowCount).toBe(0)
})

test('counts packets and bytes as they were on the wire', () => {
  const data = udpFrame({ src: '10.0.0.1', dst: '10.0.0.2', sport: 5000, dport: 53 })
  const { streams } = follow([{ data, time: 1, length: 1500 }])
  expect([streams.packets, streams.bytes]).toEqual([1, 1500])
})

test('of the flows of other shards, each shard sees the lookups of names', () => {
  const count = 3
  const lookup = { src: '10.0.0.7', sport: 40_001, dst: '10.96.0.10', dport: 53 }
  const other = { src: '10.0.0.7', sport: 40_002, dst: '10.96.0.11', dport: 514 }
  const overTcp = new Conversation({
    client: '10.0.0.8',
    clientPort: 40_003,
    server: '10.96.0.10',
    serverPort: 53,
  })
  const packets: BuiltPacket[] = [
    { time: 1, data: udpFrame({ ...lookup, payload: Uint8Array.of(1) }) },
    { time: 2, data: udpFrame({ ...other, payload: Uint8Array.of(2) }) },
    ...overTcp.handshake().send(0, 'asked').close().packets,
  ]
  const seen = Array.from({ length: count }, (_, index) => {
    const [own, others] = [new Recorder(), new Recorder()]
    const streams = new Streams(own, { shard: { index, count }, lookups: new Streams(others) })
    feed(streams, packets)
    streams.end()
    const ports = ({ flows }: Recorder) => flows.map(({ ends }) => ends[0].port)
    expect(others.flows.every(({ closed }) => closed !== undefined)).toBe(true)
    return { own: ports(own), others: ports(others) }
  })
  expect(seen.flatMap(({ own }) => own).sort()).toEqual([40_001, 40_002, 40_003])
  for (const { own, others } of seen)
    expect([...own.filter((port) => port !== 40_002), ...others].sort()).toEqual([40_001, 40_003])
})
