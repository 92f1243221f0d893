import { describe, expect, test } from 'vitest'
import { CaptureNotes } from '../capture-file/capture-notes.ts'
import { CaptureReader } from '../capture-file/capture-reader.ts'
import { shadow } from '../lasting-shadow.ts'
import type { PacketRun } from '../packet-run.ts'
import type { StreamLimits } from '../stream-limits.ts'
import { type StreamOptions, Streams } from '../streams.ts'
import {
  block,
  enhanced,
  iface,
  numbers,
  option,
  pcapHeader,
  record,
  section,
  text,
} from '../testing/capture-builder.ts'
import {
  type BuiltPacket,
  Conversation,
  concat,
  FLAG,
  Recorder,
  tcpFrame,
  timed,
  udpFrame,
} from '../testing/index.ts'

const START = 1_700_000_000_000_000
const MICROSECONDS = 0xa1b2c3d4
const NANOSECONDS = 0xa1b23c4d
const TWO_32 = 2 ** 32

/** Numbers below `below`, the same for the same seed (xorshift). */
function dice(seed: number): (below: number) => number {
  let state = seed * 2654435761 + 1
  return (below) => {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) % below
  }
}

interface End {
  next: number
  acked: number
  /** The end of the window that it offered last, unless that is scaled. */
  room: number
}

/** Connections that do all that connections do, at once, among other traffic. */
function traffic(seed: number, count: number): BuiltPacket[] {
  const roll = dice(seed)
  const packets: BuiltPacket[] = []
  let time = START
  const open = (): [End, End] => [
    { next: roll(10) === 0 ? TWO_32 - roll(3000) : roll(TWO_32), acked: 0, room: 0 },
    { next: roll(TWO_32), acked: 0, room: 0 },
  ]
  const connections = Array.from({ length: 1 + roll(12) }, (_, number) => ({
    number,
    ends: open(),
    isOpen: false,
    last: [] as BuiltPacket[],
  }))
  const step = (one: (typeof connections)[number]): void => {
    const side = roll(2)
    const ends = one.ends
    const [from, to] = side === 0 ? [ends[0], ends[1]] : [ends[1], ends[0]]
    const client = { ip: `10.0.${one.number % 3}.${1 + (one.number % 5)}`, port: 40_000 + one.number }
    // Some are between two ports of one address.
    const server = { ip: one.number === 4 ? client.ip : '10.9.0.1', port: one.number === 3 ? 53 : 8080 }
    const [source, destination] = side === 0 ? [client, server] : [server, client]
    const say = (flags: number, payload = '', seq = from.next, ack = to.next, window = 500) => {
      const options = flags & FLAG.syn && roll(2) === 0 ? Uint8Array.of(3, 3, 1 + roll(8)) : undefined
      const data = tcpFrame({
        ...{ src: source.ip, sport: source.port, dst: destination.ip, dport: destination.port },
        ...{ seq: seq >>> 0, ack: ack >>> 0, flags, window, payload },
        ...(options !== undefined && { options }),
      })
      from.room = ack + window
      const packet = { data, time }
      packets.push(packet)
      one.last.push(packet)
      one.last.splice(0, one.last.length - 4)
    }
    const data = (size: number) => 'abcdefghij'.repeat(300).slice(0, size)
    if (!one.isOpen && roll(4) > 0) {
      one.isOpen = true
      if (roll(4) === 0) return
      const [a, b] = side === 0 ? [from, to] : [to, from]
      if (side === 0) say(FLAG.syn, '', a.next, 0)
      else say(FLAG.syn | FLAG.ack, '', b.next, a.next + 1)
      from.next = (from.next + 1) % TWO_32
      return
    }
    one.isOpen = true
    switch (roll(24)) {
      case 0:
        // Bytes that the capture lost, or that come later.
        from.next = (from.next + 1 + roll(2000)) % TWO_32
        return
      case 1: {
        const again = one.last[roll(one.last.length)]
        if (again !== undefined) packets.push({ ...again, time })
        return
      }
      case 2:
        say(FLAG.ack, '', from.next, to.next, 0)
        return
      case 3:
        say(FLAG.ack, data(1), from.next - 1)
        return
      case 4:
        say(FLAG.ack, '', from.next, to.next + roll(3000))
        return
      case 5:
        if (roll(6) === 0) {
          say(FLAG.fin | FLAG.ack)
          from.next = (from.next + 1) % TWO_32
        }
        return
      case 6:
        if (roll(8) === 0) {
          say(FLAG.rst | FLAG.ack)
          one.isOpen = roll(2) === 0
        }
        return
      case 7:
        if (roll(8) === 0) {
          one.isOpen = false
          one.ends = open()
        }
        return
      case 8:
      case 9:
        say(FLAG.ack, '', from.next, from.acked)
        return
      case 10: {
        const size = to.room - from.next
        if (size <= 0 || size > 3000) return
        say(FLAG.ack, data(size))
        from.next = (from.next + size) % TWO_32
        return
      }
      case 11: {
        const size = 1 + roll(2000)
        const cut = 54 + roll(size)
        say(FLAG.ack, data(size))
        const whole = packets.pop()!
        packets.push({ ...whole, data: whole.data.slice(0, cut), length: whole.data.length })
        from.next = (from.next + size) % TWO_32
        return
      }
      case 12:
      case 13:
      case 14:
        from.acked = to.next
        say(FLAG.ack, '', from.next, to.next, roll(65_536))
        return
      default: {
        const size = 1 + roll(300)
        from.acked = to.next
        say(FLAG.ack | FLAG.psh, data(size), from.next, to.next, 1 + roll(5000))
        from.next = (from.next + size) % TWO_32
      }
    }
  }
  while (packets.length < count) {
    time += roll(400)
    if (roll(60) === 0) time += roll(3_000_000)
    if (roll(400) === 0) time += 400_000_000
    if (roll(90) === 0) time -= roll(5000)
    if (roll(200) === 0) time -= 4_000_000
    if (roll(20) === 0)
      packets.push({
        data: udpFrame({
          src: '10.0.0.9',
          dst: '10.9.0.1',
          sport: 5000 + roll(3),
          dport: 9,
          payload: 'ping',
        }),
        time,
      })
    step(connections[roll(connections.length)])
  }
  return packets
}

type Format = (packets: readonly BuiltPacket[]) => Uint8Array

const pcap =
  (magic: number, little: boolean): Format =>
  (packets) =>
    concat(
      pcapHeader(little, magic),
      ...packets.map(({ data, time, length }) => {
        const fraction = (time % 1e6) * (magic === NANOSECONDS ? 1000 : 1)
        // Nanoseconds that are no whole number of half microseconds.
        const odd = magic === NANOSECONDS ? (time % 7) * 100 : 0
        return record(little, Math.floor(time / 1e6), fraction + odd, data, length)
      }),
    )

const pcapng =
  (resolution: number, wrap: (packet: Uint8Array, at: number) => Uint8Array = (packet) => packet): Format =>
  (packets) =>
    concat(
      section(true),
      ...[0, 1].map(() => iface(true, option(true, 9, Uint8Array.of(resolution)))),
      ...packets.map(({ data, time, length }, at) => {
        const unit = resolution === 9 ? BigInt(time) * 1000n + BigInt(time % 900) : BigInt(time)
        return wrap(enhanced(true, at % 2, Number(unit >> 32n), Number(unit & 0xffffffffn), data, length), at)
      }),
    )

/** Some packets are of an interface that is not there. */
function homeless(packet: Uint8Array, at: number): Uint8Array {
  if (at % 5 > 0) return packet
  return concat(packet.subarray(0, 8), numbers(true, [4, 7]), packet.subarray(12))
}

/** Some packets have a comment. */
function commented(packet: Uint8Array, at: number): Uint8Array {
  if (at % 5 > 0) return packet
  return block(true, 6, concat(packet.subarray(8, -4), option(true, 1, text('odd')), numbers(true, [4, 0])))
}

const formats: readonly (readonly [string, Format])[] = [
  ['pcap of microseconds', pcap(MICROSECONDS, true)],
  ['pcap of nanoseconds', pcap(NANOSECONDS, true)],
  ['pcap of the other byte order', pcap(MICROSECONDS, false)],
  ['pcapng of microseconds', pcapng(6)],
  ['pcapng of nanoseconds', pcapng(9)],
  ['pcapng of milliseconds', pcapng(3)],
  ['pcapng with comments', pcapng(6, commented)],
  ['pcapng with packets of an unknown interface', pcapng(6, homeless)],
]

/** Streams that say whether bytes last, as the engine does for those that it has. */
function sinkOf(streams: Streams, run = (given: PacketRun) => streams.run(given)) {
  return {
    packet: (...given: Parameters<Streams['packet']>) => streams.packet(...given),
    run,
    lasting(bytes: Uint8Array) {
      shadow.begin(bytes)
      streams.lasting()
    },
  }
}

/** All that is told of a file, with the figures of the flow at that moment; how many packets were taken by code. */
function told(file: Uint8Array, chunk: number, isLasting: boolean, options: StreamOptions = {}) {
  const log: string[] = []
  const notes = new CaptureNotes()
  let taken = 0
  const recorder = new (class extends Recorder {
    override data(...given: Parameters<Recorder['data']>): void {
      super.data(...given)
      log.push(JSON.stringify([given[0].halves, given[0].tcp, given[0].last]))
    }
  })()
  const streams = new Streams(recorder, options)
  const sink = sinkOf(streams, (run) => {
    streams.run(run)
    taken += run.packets
  })
  const reader = new CaptureReader(isLasting ? sink : { packet: sink.packet }, streams.loss, notes)
  for (let at = 0; at < file.length; at += chunk) reader.push(file.slice(at, at + chunk), isLasting)
  reader.end()
  streams.end()
  for (const event of recorder.events) {
    const { flow, ...rest } = event
    const bytes = 'bytes' in event ? Buffer.from(event.bytes).toString('latin1') : undefined
    log.push(JSON.stringify([flow.id, { ...rest, bytes }]))
  }
  for (const flow of recorder.flows)
    log.push(JSON.stringify([flow.id, flow.halves, flow.tcp, flow.closed, flow.closedBy]))
  for (const { text: comment, packet } of notes.comments) log.push(`${packet} ${comment}`)
  const { packets, bytes, loss } = streams
  return { taken, log, counts: { packets, bytes, loss, read: reader.packets } }
}

/** Both ways tell the same. Returns how many packets the code took of how many. */
function compare(file: Uint8Array, chunk: number, options?: StreamOptions): readonly [number, number] {
  const plain = told(file, chunk, false, options)
  const quick = told(file, chunk, true, options)
  expect(plain.taken).toBe(0)
  expect(quick.counts).toEqual(plain.counts)
  expect(quick.log.join('\n')).toBe(plain.log.join('\n'))
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
  const alone = told(file, 5000, false)
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
