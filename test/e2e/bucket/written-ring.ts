import { Ring } from '@tapdeck/recording'
import { PcapngWriter } from '@tapdeck/wire'
import { Conversation } from '@tapdeck/wire/testing'
import { PacketDigest } from './packet-digest.ts'

export interface WrittenRing {
  readonly bytes: number
  readonly calls: number
  /** Calls of the client `RARE_CLIENT`. */
  readonly rareCalls: number
  /** Of all packets, see `PacketDigest`. */
  readonly digest: string
  readonly rareDigest: string
}

export const RARE_CLIENT = '10.9.9.9'
const CLIENTS = 200
/** Between the first sequence numbers of two directions. */
const ISN_STEP = 10_000_019
const ROUND_US = 10_000
const AGO_US = 1200 * 1e6
const PACKETS_A_BLOCK = 400

/**
 * Fills the ring of a worker that is not running with HTTP of the last twenty minutes: answers of 8 KB to many clients over keep-alive
 * connections. One more client asks rarely.
 */
export function writeRing(folder: string, node: string, bytes: number): WrittenRing {
  const ring = Ring.open(folder, { maxBytes: 2 * bytes + 2 ** 28, node, application: 'test' })
  ring.addInterface({ name: 'eth0', link: 1 })
  let time = Date.now() * 1000 - AGO_US
  // Two connections with the same sequence numbers at the same time are two views of one, for example before and after NAT.
  const conversation = (client: string, at: number) =>
    new Conversation({
      ...{ client, server: '10.1.0.1', clientPort: 20_000 + at, start: time, step: 3 },
      ...{ clientIsn: at * ISN_STEP, serverIsn: (CLIENTS + 1 + at) * ISN_STEP },
    }).handshake()
  const talks = Array.from({ length: CLIENTS }, (_, at) => conversation(`10.0.${at >> 7}.${at & 127}`, at))
  const rare = conversation(RARE_CLIENT, CLIENTS)
  const [all, ofRare] = [new PacketDigest(), new PacketDigest()]
  const body = JSON.stringify({ text: 'lorem ipsum '.repeat(700) })
  const writer = new PcapngWriter()
  let [written, calls, rareCalls] = [0, 0, 0]
  // No request before its handshake.
  time += ROUND_US
  for (let round = 0; written < bytes; round++) {
    for (const [at, talk] of talks.entries()) {
      talk.time = time + at * 40
      exchange(talk, `/orders/${round}`, body)
      calls++
    }
    time += ROUND_US
    if (round % 50 === 0) {
      rare.time = time
      exchange(rare, `/rare/${round / 50}`, 'ok')
      rareCalls++
    }
    const chosen = rare.packets.splice(0)
    for (const { data, time: at } of chosen) ofRare.packet(data, 0, data.length, data.length, at)
    const packets = [...talks.flatMap((talk) => talk.packets.splice(0)), ...chosen]
    packets.sort((a, b) => a.time - b.time)
    for (let from = 0; from < packets.length; from += PACKETS_A_BLOCK) {
      const some = packets.slice(from, from + PACKETS_A_BLOCK)
      for (const { data, time: at } of some) {
        writer.packet(0, at, data, 0, data.length, data.length)
        all.packet(data, 0, data.length, data.length, at)
      }
      const block = writer.take()
      written += block.length
      const [first, last] = [some[0]!.time, some.at(-1)!.time]
      ring.append(block, block.length, { packets: some.length, first, last, drops: 0 })
    }
  }
  ring.close()
  const [digest, rareDigest] = [all.value, ofRare.value]
  return { bytes: written, calls: calls + rareCalls, rareCalls, digest, rareDigest }
}

function exchange(talk: Conversation, path: string, body: string): void {
  talk.send(0, `GET ${path} HTTP/1.1\r\nHost: shop\r\n\r\n`)
  const head = `HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`
  talk.send(1, `${head}\r\n\r\n${body}`)
}
