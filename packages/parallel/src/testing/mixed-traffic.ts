import {
  type BuiltPacket,
  be16,
  be32,
  Conversation,
  concat,
  frame,
  ip,
  ipv4,
  udpFrame,
} from '@tapdeck/wire/testing'

const SECOND = 1_000_000
const BEGIN = 1_700_000_000 * SECOND

/** Packets of many flows at once with all that can happen to them, in order of time: the same for the same seed. */
export function mixedTraffic(seed: number, flows: number): BuiltPacket[] {
  const random = seeded(seed)
  const packets = Array.from({ length: flows }, (_, number) => {
    const kind = KINDS[Math.floor(random() * KINDS.length)]
    return kind(number, BEGIN + Math.floor(random() * 400) * SECOND, random)
  })
  // Ties between flows are part of it: times are whole milliseconds now and then.
  const all = packets.flat().map((packet) => ({
    ...packet,
    time: random() < 0.2 ? Math.floor(packet.time / 1000) * 1000 : packet.time,
  }))
  return all.sort((a, b) => a.time - b.time)
}

type Kind = (number: number, start: number, random: () => number) => BuiltPacket[]

const KINDS: readonly Kind[] = [
  http,
  http,
  (...given) => lossy(http(...given), given[2]),
  (...given) => misordered(http(...given), given[2]),
  (...given) => cut(http(...given)),
  (...given) => tunnelled(http(...given)),
  (...given) => fragmented(http(...given), given[0]),
  (...given) => fragmented(dns(...given), given[0]),
  resetInTheMiddle,
  reusedPort,
  slow,
  dns,
  dns,
  (...given) => tunnelled(fragmented(dns(...given), given[0])),
  ping,
  noise,
]

function ends(number: number, start: number) {
  return {
    client: `10.0.${number >> 8}.${number & 255}`,
    server: `10.1.0.${number % 5}`,
    clientPort: 30_000 + number,
    serverPort: number % 3 === 0 ? 8080 : 80,
    start,
    step: 150 + (number % 7) * 50,
    segmentSize: 300 + (number % 5) * 250,
  }
}

function request(number: number, i: number): string {
  return `POST /orders/${number}/${i} HTTP/1.1\r\nHost: shop\r\nContent-Length: 5\r\n\r\nhello`
}

function response(i: number, size: number): string {
  return `HTTP/1.1 ${i % 4 === 3 ? 500 : 200} Told\r\nContent-Length: ${size}\r\n\r\n${'x'.repeat(size)}`
}

function talk(number: number, start: number, random: () => number): Conversation {
  const conversation = new Conversation(ends(number, start)).handshake()
  for (let i = 0; i < 1 + random() * 5; i++) {
    conversation.send(0, request(number, i))
    conversation.wait(Math.floor(random() * 3 * SECOND)).send(1, response(i, Math.floor(random() * 3000)))
  }
  return conversation
}

function http(...[number, start, random]: Parameters<Kind>): BuiltPacket[] {
  return talk(number, start, random).close().packets
}

/** Without a response; the reset, or silence, comes instead. */
function resetInTheMiddle(...[number, start, random]: Parameters<Kind>): BuiltPacket[] {
  const conversation = talk(number, start, random).send(0, request(number, 99))
  return random() < 0.5 ? conversation.reset(1).packets : conversation.packets
}

function reusedPort(...[number, start, random]: Parameters<Kind>): BuiltPacket[] {
  const first = talk(number, start, random)
  const again = new Conversation({
    ...ends(number, first.time + 500),
    clientIsn: 777_000 + number * 65_536,
    serverIsn: 888_000 + number * 65_536,
  })
  again.handshake().send(0, request(number, 1)).send(1, response(1, 10)).close()
  return [...first.packets, ...again.packets]
}

/** Answers after all timeouts. */
function slow(...[number, start]: Parameters<Kind>): BuiltPacket[] {
  return new Conversation(ends(number, start))
    .handshake()
    .send(0, request(number, 0))
    .wait(50 * SECOND + (number % 40) * SECOND)
    .send(1, response(0, 20))
    .wait((number % 2) * 310 * SECOND)
    .send(0, request(number, 1)).packets
}

function dns(...[number, start, random]: Parameters<Kind>): BuiltPacket[] {
  const client = { src: `10.0.9.${number & 255}`, sport: 20_000 + number }
  const server = { dst: '10.1.0.53', dport: 53 }
  const label = new TextEncoder().encode(`svc-${number % 7}`)
  const question = concat(
    Uint8Array.of(label.length),
    label,
    Uint8Array.of(4, 115, 104, 111, 112, 0, 0, 1, 0, 1),
  )
  const id = be16(number)
  const asked = concat(id, Uint8Array.of(1, 0, 0, 1, 0, 0, 0, 0, 0, 0), question)
  const address = Uint8Array.of(0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 10, 1, 0, number % 5)
  const answers = Array.from({ length: 1 + (number % 3) * 8 }, () => address)
  const head = Uint8Array.of(0x81, 0x80, 0, 1, 0, answers.length, 0, 0, 0, 0)
  const answered = concat(id, head, question, ...answers)
  const back = { src: server.dst, sport: 53, dst: client.src, dport: client.sport }
  const query = { time: start, data: udpFrame({ ...client, ...server, payload: asked }) }
  if (random() < 0.2) return [query]
  return [query, { time: start + 2000, data: udpFrame({ ...back, payload: answered }) }]
}

function ping(...[number, start]: Parameters<Kind>): BuiltPacket[] {
  const host = `10.0.8.${number & 255}`
  const echo = (type: number, from: string, to: string) =>
    frame(ip(from, to, 1, concat(Uint8Array.of(type, 0, 0, 0), be16(number), be16(1), new Uint8Array(16))))
  // And an error that quotes another flow.
  const quoted = ipv4('10.0.0.1', '10.1.0.1', 6, concat(be16(30_001), be16(80), be32(0)))
  const error = frame(ip('10.1.0.9', host, 1, concat(Uint8Array.of(3, 1, 0, 0, 0, 0, 0, 0), quoted)))
  return [
    { time: start, data: echo(8, host, '10.1.0.1') },
    { time: start + 900, data: echo(0, '10.1.0.1', host) },
    { time: start + 2 * SECOND, data: error },
  ]
}

/** Packets of no flow, and malformed ones. */
function noise(...[number, start, random]: Parameters<Kind>): BuiltPacket[] {
  const bytes = Uint8Array.from({ length: 40 }, () => Math.floor(random() * 256))
  return [
    { time: start, data: frame(ip(`10.0.7.${number & 255}`, '10.1.0.1', 89, bytes)) },
    { time: start + 10, data: frame(ip(`10.0.7.${number & 255}`, '10.1.0.1', 6, bytes.subarray(0, 12))) },
    { time: start + 20, data: bytes },
    { time: start + 30, data: frame(ip(`10.0.7.${number & 255}`, '10.1.0.1', 132, bytes)) },
  ]
}

function lossy(packets: BuiltPacket[], random: () => number): BuiltPacket[] {
  return packets.filter(() => random() > 0.15)
}

function misordered(packets: BuiltPacket[], random: () => number): BuiltPacket[] {
  const times = packets.map(({ time }) => time)
  const moved = packets.map((packet, at) => ({ packet, at: at + random() * 3 }))
  return moved.sort((a, b) => a.at - b.at).map(({ packet }, at) => ({ ...packet, time: times[at] }))
}

function cut(packets: BuiltPacket[]): BuiltPacket[] {
  return packets.map(({ data, time }) => ({ data: data.slice(0, 200), time, length: data.length }))
}

function tunnelled(packets: BuiltPacket[]): BuiltPacket[] {
  const head = concat(Uint8Array.of(8, 0, 0, 0), be32(42 << 8))
  return packets.map(({ data, time }) => {
    const carried = { src: '192.168.0.1', sport: 55_555, dst: '192.168.0.2', dport: 4789 }
    return { time, data: udpFrame({ ...carried, payload: concat(head, data) }) }
  })
}

/** Each IP datagram in two pieces or three; now and then one of them is lost. */
function fragmented(packets: BuiltPacket[], number: number): BuiltPacket[] {
  return packets.flatMap(({ data, time }, at) => {
    const header = data.subarray(14, 34)
    const total = (header[2] << 8) | header[3]
    const payload = data.subarray(34, 14 + total)
    if (payload.length < 64) return [{ data, time }]
    const source = header.subarray(12, 16).join('.')
    const target = header.subarray(16, 20).join('.')
    const cuts = [0, 32, payload.length > 400 ? 400 : 32, payload.length]
    const pieces = cuts.slice(0, -1).flatMap((offset, i) => {
      const end = cuts[i + 1]
      if (end <= offset) return []
      const more = end < payload.length
      const id = (number * 64 + at) & 0xffff
      return [frame(ipv4(source, target, header[9], payload.subarray(offset, end), { id, offset, more }))]
    })
    const kept = (number + at) % 11 === 0 ? pieces.slice(1) : pieces.reverse()
    return kept.map((piece, i) => ({ data: piece, time: time + i }))
  })
}

/** mulberry32 */
function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let t = Math.imul(state ^ (state >>> 15), 1 | state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}
