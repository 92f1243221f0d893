import { describe, expect, test } from 'vitest'
import { CaptureReader } from '../capture-file/capture-reader.ts'
import type { StreamLimits } from '../stream-limits.ts'
import { type StreamOptions, Streams } from '../streams.ts'
import { block, numbers } from '../testing/capture-builder.ts'
import { formats, MICROSECONDS, pcap, pcapng } from '../testing/capture-forms.ts'
import { Conversation, concat, Recorder, tcpFrame, timed } from '../testing/index.ts'
import { traffic } from '../testing/random-traffic.ts'
import { replayLog, sinkOf } from '../testing/replay-log.ts'
import { trials } from '../testing/trials.ts'

const START = 1_700_000_000_000_000

/** Both modes report the same. Returns how many packets WebAssembly took, and how many there were. */
function compare(file: Uint8Array, chunk: number, options?: StreamOptions): readonly [number, number] {
  const slow = replayLog(file, chunk, 'slow', options)
  const fast = replayLog(file, chunk, 'fast', options)
  expect(slow.taken).toBe(0)
  expect(fast.counts).toEqual(slow.counts)
  expect(fast.log.join('\n')).toBe(slow.log.join('\n'))
  expect(fast.comments).toEqual(slow.comments)
  return [fast.taken, slow.counts.packets]
}

describe('the WebAssembly segment parser and the TypeScript tracker give the same result', () => {
  test.each(formats)('in a %s', (name, format) => {
    const seeds = trials(8, 2)
    let taken = 0
    for (let seed = 1; seed <= seeds; seed++) {
      const file = format(traffic(seed, 400))
      for (const chunk of [file.length, 10_007]) taken += compare(file, chunk)[0]
    }
    if (/other byte order|milli/.test(name)) expect(taken).toBe(0)
    else expect(taken).toBeGreaterThan(13 * seeds)
  })

  test.each([0, 1, 2])('in a file that three shards share, in shard %i', (index) => {
    const seeds = trials(20, 4)
    let taken = 0
    for (let seed = 1; seed <= seeds; seed++)
      taken += compare(pcap(MICROSECONDS, true)(traffic(seed, 400)), 50_000, {
        shard: { index, count: 3 },
      })[0]
    expect(taken).toBeGreaterThan(5 * seeds)
  })

  test('with a small flow limit and short idle times', () => {
    const limits: Partial<StreamLimits> = { flows: 6, tcpIdle: 500_000, grace: 1000, linger: 100_000 }
    for (let seed = 1; seed <= trials(20, 4); seed++)
      compare(pcap(MICROSECONDS, true)(traffic(seed, 600)), 30_000, { limits })
  })

  test('with more connections than the connection table has entries', () => {
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

test('WebAssembly takes most segments of a long conversation', () => {
  const talk = new Conversation().handshake()
  for (let turn = 0; turn < 200; turn++) talk.send(0, 'ask').send(1, 'answer')
  const [taken, all] = compare(pcap(MICROSECONDS, true)(talk.close().packets), 64 * 1024)
  expect(taken).toBeGreaterThan(all - 20)
})

test('a new acknowledgement resets the count of duplicates', () => {
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

test('an unknown connection at the end of a file is not registered in the next file', () => {
  const recorder = new Recorder()
  const streams = new Streams(recorder)
  // A reader of several files may withhold the first packet of each from a run.
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

test('damage is skipped in any year', () => {
  const talk = new Conversation({ start: 2_222_222_222_000_000 }).handshake()
  for (let turn = 0; turn < 40; turn++) talk.send(0, 'ask').send(1, 'answer')
  const file = pcap(MICROSECONDS, true)(talk.packets)
  const { length } = pcap(MICROSECONDS, true)(talk.packets.slice(0, 80))
  file.fill(0xff, length, length + 16)
  const [taken, all] = compare(file, file.length)
  expect(taken).toBeGreaterThan(100)
  expect(all).toBe(talk.packets.length - 1)
})

test('no packets are taken after a damaged section changed the byte order', () => {
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

test('of two concurrent readers, one has the fast path, and both give the right result', () => {
  const file = pcap(MICROSECONDS, true)(traffic(5, 800))
  const alone = replayLog(file, 5000, 'slow')
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
      JSON.stringify([flow.id, flow.directions, flow.tcp, flow.closed, flow.closedBy]),
    )
    expect(flows).toEqual(alone.log.slice(-flows.length))
  }
})
