import { CaptureReader, PcapngWriter, pcapHeader, pcapRecord, Streams } from '@tapdeck/wire'
import { type BuiltPacket, Conversation, FLAG, udpFrame } from '@tapdeck/wire/testing'

/**
 * What a packet costs: the bare walk over its headers as the limit, the reader, the reader with streams without a
 * handler, and the writer. Best of several runs in processor time; read the ratios, not the nanoseconds.
 */
const CHUNK = 256 * 1024
const RUNS = 12
const START = 1_700_000_000_000_000

interface Case {
  readonly name: string
  readonly file: Uint8Array
  readonly packets: number
}

const ignore = { open() {}, data() {}, gap() {}, datagram() {}, finish() {}, close() {} }

function capture(name: string, packets: readonly BuiltPacket[]): Case {
  const file = new Uint8Array(packets.reduce((size, { data }) => size + data.length + 16, 24))
  let at = pcapHeader(file, 0, 1)
  for (const [index, { data }] of packets.entries()) {
    const { length } = data
    at = pcapRecord(file, at, { time: START + index * 3, data, start: 0, end: length, length })
  }
  return { name, file, packets: packets.length }
}

function conversations(count: number, speak: (conversation: Conversation) => void): BuiltPacket[] {
  const all = Array.from({ length: count }, (_, index) => {
    const conversation = new Conversation({ client: `10.1.${index >> 8}.${index & 255}` }).handshake()
    speak(conversation)
    return conversation.close().packets
  })
  const longest = Math.max(...all.map((packets) => packets.length))
  return Array.from({ length: longest }, (_, step) =>
    all.flatMap((packets) => packets.slice(step, step + 1)),
  ).flat()
}

const repeat = (times: number, action: () => void) => {
  for (let count = 0; count < times; count++) action()
}

const cases: readonly Case[] = [
  capture(
    'requests and responses, 500 connections',
    conversations(500, (it) =>
      repeat(60, () => it.send(0, new Uint8Array(200)).send(1, new Uint8Array(600))),
    ),
  ),
  capture(
    'bulk, 20 connections',
    conversations(20, (it) =>
      repeat(40, () => it.send(0, new Uint8Array(100)).send(1, new Uint8Array(1448 * 30))),
    ),
  ),
  capture(
    'one request a connection, 10,000 connections',
    conversations(10_000, (it) => it.send(0, new Uint8Array(200)).send(1, new Uint8Array(600))),
  ),
  capture(
    'every tenth segment late, 500 connections',
    conversations(500, (it) => {
      repeat(100, () => it.segment(0, FLAG.ack, new Uint8Array(500)))
      for (let index = 10; index < 100; index += 10) it.swap(index, index + 2)
    }),
  ),
  capture(
    'UDP, 1,000 flows',
    Array.from({ length: 100_000 }, (_, index) => ({
      data: udpFrame({
        src: '10.0.0.1',
        dst: '10.0.0.2',
        sport: 2000 + (index % 1000),
        dport: 53,
        payload: 'x'.repeat(60),
      }),
      time: 0,
    })),
  ),
]

/** Only reads the fields that any dissection needs. */
function walk({ file }: Case): number {
  let sum = 0
  for (let at = 24; at + 16 <= file.length; ) {
    const captured = file[at + 8] | (file[at + 9] << 8) | (file[at + 10] << 16) | (file[at + 11] << 24)
    const ip = at + 16 + 14
    const transport = ip + ((file[ip] & 15) << 2)
    sum += (file[ip + 2] << 8) | file[ip + 3]
    sum ^= (file[ip + 12] << 24) | (file[ip + 13] << 16) | (file[ip + 14] << 8) | file[ip + 15]
    sum ^=
      (file[transport] << 24) | (file[transport + 1] << 16) | (file[transport + 2] << 8) | file[transport + 3]
    if (file[ip + 9] === 6)
      sum ^=
        (file[transport + 4] << 24) |
        (file[transport + 5] << 16) |
        (file[transport + 6] << 8) |
        file[transport + 7]
    at += 16 + captured
  }
  return sum
}

function read({ file }: Case, sink: ConstructorParameters<typeof CaptureReader>[0]): void {
  const reader = new CaptureReader(sink, {})
  for (let at = 0; at < file.length; at += CHUNK) reader.push(file.subarray(at, at + CHUNK))
  reader.end()
}

function best(packets: number, action: () => void): number {
  let least = Number.POSITIVE_INFINITY
  for (let run = 0; run < RUNS; run++) {
    const start = process.cpuUsage().user
    action()
    least = Math.min(least, process.cpuUsage().user - start)
  }
  return (least * 1e3) / packets
}

let kept = 0
const rows = cases.map((it) => {
  const streams = best(it.packets, () => {
    const made = new Streams(ignore)
    read(it, made)
    made.end()
  })
  const bare = best(it.packets, () => {
    kept += walk(it)
  })
  const reader = best(it.packets, () => read(it, { packet: (_data, start) => (kept += start) }))
  const writer = new PcapngWriter()
  const target = new Uint8Array(it.file.length + it.packets * 48)
  const write = best(it.packets, () => {
    let at = 0
    read(it, {
      packet: (data, start, end, length, time) => {
        at = writer.writePacket(target, at, 0, { time, data, start, end, length })
      },
    })
  })
  return { it, bare, reader, streams, write }
})

for (const { it, bare, reader, streams, write } of rows) {
  const speed = (it.file.length / (streams * it.packets)) * 1000
  console.log(`${it.name}: ${it.packets} packets, ${(it.file.length / 1e6).toFixed(0)} MB`)
  console.log(
    `  bare walk ${bare.toFixed(0)} ns · reader ${reader.toFixed(0)} ns (${(reader / bare).toFixed(1)}×)` +
      ` · reader and streams ${streams.toFixed(0)} ns (${(streams / bare).toFixed(1)}×), ${speed.toFixed(0)} MB/s` +
      ` · reader and writer ${write.toFixed(0)} ns (${(write / bare).toFixed(1)}×)`,
  )
}
if (kept === 0.5) console.log(kept)
