import { Dissection, packExchange } from '@tapdeck/dissect'
import { type PacketSink, type StreamHandler, Streams } from '@tapdeck/wire'
import { type BuiltPacket, Conversation, udpFrame } from '@tapdeck/wire/testing'

/*
 * Packets in memory → calls, on one thread, next to the bare walk through the same packets (streams without a
 * handler), which is the limit. Seconds are those of the processor (with the collector's threads), so that a busy
 * machine does not blur them. Rounds: TAPDECK_BENCH_ROUNDS, default 15; the median counts.
 */
const ROUNDS = Number(process.env.TAPDECK_BENCH_ROUNDS ?? 15)
const ETHERNET = 1

/** All packets in one buffer, as a capture file has them. */
interface Capture {
  readonly name: string
  readonly data: Uint8Array
  readonly ends: Int32Array
  readonly times: Float64Array
  readonly calls: number
}

function capture(name: string, packets: readonly BuiltPacket[], calls: number): Capture {
  const data = new Uint8Array(packets.reduce((sum, packet) => sum + packet.data.length, 0))
  const ends = new Int32Array(packets.length)
  const times = new Float64Array(packets.length)
  let at = 0
  for (const [index, packet] of packets.entries()) {
    data.set(packet.data, at)
    at += packet.data.length
    ends[index] = at
    times[index] = packet.time
  }
  return { name, data, ends, times, calls }
}

function feed({ data, ends, times }: Capture, sink: PacketSink): void {
  let start = 0
  for (let i = 0; i < ends.length; i++) {
    const end = ends[i]
    sink.packet(data, start, end, end - start, times[i], ETHERNET)
    start = end
  }
}

/** Connections take turns, so that a packet is seldom followed by one of its own. */
function interleaved(conversations: readonly Conversation[]): BuiltPacket[] {
  const longest = Math.max(...conversations.map(({ packets }) => packets.length))
  const all: BuiltPacket[] = []
  for (let i = 0; i < longest; i++)
    for (const { packets } of conversations) if (i < packets.length) all.push(packets[i])
  return all
}

function http(name: string, connections: number, requests: number, bodySize: number): Capture {
  const body = 'x'.repeat(bodySize)
  const conversations = Array.from({ length: connections }, (_, index) => {
    const talk = new Conversation({
      client: `10.0.${index >> 8}.${index & 255}`,
      server: '10.1.0.1',
      clientPort: 20_000 + (index % 40_000),
      step: 10,
    }).handshake()
    for (let i = 0; i < requests; i++) {
      talk.send(
        0,
        `GET /api/v1/items/${i % 50}?page=${i} HTTP/1.1\r\nHost: shop.example\r\nUser-Agent: bench/1.0\r\nAccept: */*\r\nAccept-Encoding: gzip\r\nX-Request-Id: ${index}-${i}\r\n\r\n`,
      )
      talk.send(
        1,
        `HTTP/1.1 200 OK\r\nServer: nginx\r\nDate: Mon, 01 Jan 2024 00:00:00 GMT\r\nContent-Type: application/json\r\nContent-Length: ${bodySize}\r\nConnection: keep-alive\r\n\r\n${body}`,
      )
    }
    return talk.close()
  })
  return capture(name, interleaved(conversations), connections * requests)
}

function dns(): Capture {
  const packets: BuiltPacket[] = []
  const calls = 40_000
  for (let i = 0; i < calls; i++) {
    const name = Uint8Array.from([
      4,
      0x77,
      0x77,
      0x77,
      0x30 + (i % 10),
      4,
      0x73,
      0x68,
      0x6f,
      0x70,
      4,
      0x74,
      0x65,
      0x73,
      0x74,
      0,
    ])
    const question = [...name, 0, 1, 0, 1]
    const id = [(i >> 8) & 255, i & 255]
    const ends = { src: `10.0.${(i >> 8) & 63}.1`, sport: 1024 + (i & 1023), dst: '10.1.0.53', dport: 53 }
    const back = { src: ends.dst, sport: 53, dst: ends.src, dport: ends.sport }
    const time = 1_700_000_000_000_000 + i * 20
    packets.push({
      time,
      data: udpFrame({
        ...ends,
        payload: Uint8Array.from([...id, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, ...question]),
      }),
    })
    const answer = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 10, 0, 0, 1]
    packets.push({
      time: time + 10,
      data: udpFrame({
        ...back,
        payload: Uint8Array.from([...id, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0, ...question, ...answer]),
      }),
    })
  }
  return capture('DNS, 65,536 ports', packets, calls)
}

const noHandler: StreamHandler = { open() {}, data() {}, gap() {}, datagram() {}, finish() {}, close() {} }

function median(run: () => void): number {
  run()
  const times: number[] = []
  for (let i = 0; i < ROUNDS; i++) {
    const start = process.cpuUsage()
    run()
    const { user, system } = process.cpuUsage(start)
    times.push((user + system) / 1e6)
  }
  return times.sort((a, b) => a - b)[ROUNDS >> 1]
}

function line(what: string, { data, calls }: Capture, seconds: number): void {
  const rate = `${Math.round(data.length / 1e6 / seconds)} MB/s`
  console.log(
    `  ${what.padEnd(34)} ${rate.padStart(11)} ${`${Math.round(calls / seconds / 1000)}k calls/s`.padStart(16)}`,
  )
}

for (const one of [
  http('HTTP/1.1 keep-alive, 1 KB bodies', 100, 200, 1024),
  http('HTTP/1.1 keep-alive, 100 KB bodies', 20, 20, 100 * 1024),
  http('HTTP/1.1, a connection a call', 10_000, 1, 1024),
  dns(),
]) {
  console.log(
    `${one.name}: ${(one.data.length / 1e6).toFixed(0)} MB, ${one.ends.length} packets, ${one.calls} calls`,
  )
  line(
    'bare walk',
    one,
    median(() => {
      const streams = new Streams(noHandler)
      feed(one, streams)
      streams.end()
    }),
  )
  let seen = 0
  line(
    'calls',
    one,
    median(() => {
      seen = 0
      const dissection = new Dissection({ emit: () => seen++ })
      feed(one, dissection)
      dissection.end()
    }),
  )
  if (seen !== one.calls) throw new Error(`${seen} calls instead of ${one.calls}`)
  line(
    'calls, packed for disk',
    one,
    median(() => {
      const dissection = new Dissection({ emit: (call) => packExchange(call) })
      feed(one, dissection)
      dissection.end()
    }),
  )
}
