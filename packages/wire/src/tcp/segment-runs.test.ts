import { describe, expect, test } from 'vitest'
import { CaptureReader } from '../capture-file/capture-reader.ts'
import type { StreamLimits } from '../stream-limits.ts'
import { type StreamOptions, Streams } from '../streams.ts'
import { block, numbers } from '../testing/capture-builder.ts'
import { formats, MICROSECONDS, pcap, pcapng } from '../testing/capture-forms.ts'
import { Conversation, concat, Recorder, tcpFrame, timed } from '../testing/index.ts'
import { traffic } from '../testing/random-traffic.ts'
import { sinkOf, told } from '../testing/told.ts'

const START = 1_700_000_000_000_000

/** Both ways tell the same. Returns how many packets the code took of how many. */
function compare(file: Uint8Array, chunk: number, options?: StreamOptions): readonly [number, number] {
  const plain = told(file, chunk, 'plain', options)
  const quick = told(file, chunk, 'quick', options)
  expect(plain.taken).toBe(0)
  expect(quick.counts).toEqual(plain.counts)
  expect(quick.log.join('\n')).toBe(plain.log.join('\n'))
  expect(quick.comments).toEqual(plain.comments)
  return [quick.taken, plain.counts.packets]
}

describe('segments taken by code tell what they tell one by one', () => {
  test.each(formats)('in a %s', (name, format) => {
    let taken = 0
    for (let seed = 1; seed <= 8; seed++) {
      const file = format(traffic(seed, 400))
      for (const chunk of [file.length, 10_007]) taken += compare(file, chunk)[0]
    }
    if (/other byte order|milli/.test(name)) expect(taken).toBe(0)
    else expect(taken).toBeGreaterThan(100)
  })

  test.each([0, 1, 2])('in a file that three share, to number %i', (index) => {
    let taken = 0
    for (let seed = 1; seed <= 20; seed++)
      taken += compare(pcap(MICROSECONDS, true)(traffic(seed, 400)), 50_000, {
        shard: { index, count: 3 },
      })[0]
    expect(taken).toBeGreaterThan(100)
  })

  test('where few connections may be followed, and are soon idle', () => {
    const limits: Partial<StreamLimits> = { flows: 6, tcpIdle: 500_000, grace: 1000, linger: 100_000 }
    for (let seed = 1; seed <= 20; seed++)
      compare(pcap(MICROSECONDS, true)(traffic(seed, 600)), 30_000, { limits })
  })

  test('of more connections than the code has room for', () => {
    const many = Array.from({ length: 3000 }, (_, number) =>
      new Conversation({ clientPort: 1024 + number, server: `10.1.${number >> 8}.${number & 255}` })
        .handshake()
        .send(0, 'one')
        .send(1, 'two'),
    )
    // All of them at once, packet by packet.
    const packets = Array.from({ length: many[0]!.packets.length }, (_, at) =>
      many.map((one) => one.packets[at]!),
    ).flat()
    const [taken, all] = compare(pcap(MICROSECONDS, true)(packets), 256 * 1024)
    expect(taken).toBeGreaterThan(all / 4)
  })
})

test('most of a long conversation is taken by code', () => {
  const talk = new Conversation().handshake()
  for (let turn = 0; turn < 200; turn++) talk.send(0, 'ask').send(1, 'answer')
  const [taken, all] = compare(pcap(MICROSECONDS, true)(talk.close().packets), 64 * 1024)
  expect(taken).toBeGreaterThan(all - 20)
})

test('acknowledgements that were repeated before others do not count any more', () => {
  const ends = { src: '10.0.0.1', dst: '10.0.0.2', sport: 40_000, dport: 80 }
  const back = { src: '10.0.0.2', dst: '10.0.0.1', sport: 80, dport: 40_000 }
  const ten = 'x'.repeat(10)
  const frames = [
    tcpFrame({ ...ends, seq: 100, ack: 500, payload: ten }),
    tcpFrame({ ...back, seq: 500, ack: 110, window: 900 }),
    tcpFrame({ ...ends, seq: 110, ack: 500, payload: ten }),
    ...[1, 2, 3].map(() => tcpFrame({ ...back, seq: 500, ack: 110, window: 900 })),
    tcpFrame({ ...back, seq: 500, ack: 120, window: 900 }),
    tcpFrame({ ...ends, seq: 120, ack: 500, payload: ten }),
    tcpFrame({ ...ends, seq: 130, ack: 500, payload: ten }),
    tcpFrame({ ...ends, seq: 120, ack: 500, payload: ten }),
  ]
  const [taken] = compare(pcap(MICROSECONDS, true)(timed(frames, 100)), 10_000)
  expect(taken).toBeGreaterThan(4)
})

test('a segment of 64 KB is taken whole', () => {
  const talk = new Conversation({ segmentSize: 65_000 }).handshake().send(0, 'ask')
  for (let turn = 0; turn < 8; turn++) talk.send(1, 'x'.repeat(65_000))
  const [taken] = compare(pcap(MICROSECONDS, true)(talk.packets), 400_000)
  expect(taken).toBeGreaterThan(10)
})

test('a stranger at the end of a file is nobody in the next', () => {
  const recorder = new Recorder()
  const streams = new Streams(recorder)
  // Whoever reads several files may keep the first packet of each from a run.
  let isHeld = false
  const sink = sinkOf(streams, (run) => (isHeld ? undefined : streams.run(run)))
  const read = (frames: readonly Uint8Array[]) => {
    const reader = new CaptureReader(sink, streams.loss)
    reader.push(pcap(MICROSECONDS, true)(timed(frames, 100)), true)
    reader.end()
  }
  const { packets } = new Conversation().handshake()
  read(packets.slice(0, 3).map(({ data }) => data))
  // A file that is shorter than the one before, of a packet without addresses.
  isHeld = true
  const short = pcap(MICROSECONDS, true)([{ data: new Uint8Array(20), time: START }])
  const reader = new CaptureReader(sink, streams.loss)
  reader.push(short, true)
  isHeld = false
  reader.push(short.slice(24), true)
  streams.end()
  expect(streams.packets).toBe(5)
})

test('damage is stepped over in whatever year', () => {
  const talk = new Conversation({ start: 2_222_222_222_000_000 }).handshake()
  for (let turn = 0; turn < 40; turn++) talk.send(0, 'ask').send(1, 'answer')
  const file = pcap(MICROSECONDS, true)(talk.packets)
  const { length } = pcap(MICROSECONDS, true)(talk.packets.slice(0, 80))
  file.fill(0xff, length, length + 16)
  const [taken, all] = compare(file, file.length)
  expect(taken).toBeGreaterThan(100)
  expect(all).toBe(talk.packets.length - 1)
})

test('no packets are taken where a damaged section has changed the byte order', () => {
  const { packets } = new Conversation().handshake().send(0, 'ask').send(1, 'answer')
  const whole = pcapng(6)(packets)
  const { length } = pcapng(6)(packets.slice(0, 5))
  const broken = block(false, 0x0a0d0d0a, numbers(false, [4, 0x1a2b3c4d]))
  compare(concat(whole.subarray(0, length), broken, whole.subarray(length)), 100_000)
})

test('a handler that throws leaves the counts right', () => {
  const { packets } = new Conversation().handshake().send(0, 'ask').send(1, 'answer').send(0, 'again')
  const count = (isLasting: boolean) => {
    const streams = new Streams(
      Object.assign(new Recorder(), {
        data: (_flow: unknown, side: number) => {
          if (side === 1) throw new Error('no more')
        },
      }),
    )
    const sink = sinkOf(streams)
    const reader = new CaptureReader(sink, streams.loss)
    expect(() => reader.push(pcap(MICROSECONDS, true)(packets), isLasting)).toThrow('no more')
    const counts = [streams.packets, streams.bytes, reader.packets]
    streams.end()
    return counts
  }
  expect(count(true)).toEqual(count(false))
})

test('of two that read at once, one does without the code, and both are right', () => {
  const file = pcap(MICROSECONDS, true)(traffic(5, 800))
  const alone = told(file, 5000, 'plain')
  const recorders = [new Recorder(), new Recorder()] as const
  const readers = recorders.map((recorder) => {
    const streams = new Streams(recorder)
    const sink = sinkOf(streams)
    return { streams, reader: new CaptureReader(sink, streams.loss) }
  })
  for (let at = 0; at < file.length; at += 5000)
    for (const { reader } of readers) reader.push(file.slice(at, at + 5000), true)
  for (const { streams } of readers) streams.end()
  for (const [index, { streams }] of readers.entries()) {
    expect(streams.packets).toBe(alone.counts.packets)
    const flows = recorders[index]!.flows.map((flow) =>
      JSON.stringify([flow.id, flow.halves, flow.tcp, flow.closed, flow.closedBy]),
    )
    expect(flows).toEqual(alone.log.slice(-flows.length))
  }
})
