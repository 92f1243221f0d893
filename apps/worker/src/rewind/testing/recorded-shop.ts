import { Ring } from '@tapdeck/recording'
import { PcapngWriter } from '@tapdeck/wire'
import { type BuiltPacket, Conversation } from '@tapdeck/wire/testing'

/** Unix milliseconds. */
export const RECORDING_START = 1_700_000_000_000
const MIB = 1 << 20

/**
 * One minute of HTTP traffic: connections of many clients with large responses, and one rare client (10.9.9.9) with a call
 * every five seconds over one long connection. Packets are sorted by time.
 */
export function shopPackets(connections = 120, bodySize = 80_000): BuiltPacket[] {
  const packets: BuiltPacket[] = []
  for (let at = 0; at < connections; at++) {
    const connection = new Conversation({
      client: `10.0.0.${1 + (at % 100)}`,
      server: '10.1.0.1',
      clientPort: 20_000 + at,
      start: (RECORDING_START + at * (60_000 / connections)) * 1000,
    }).handshake()
    exchange(connection, `/orders/${at}`, bodySize).wait(2_000_000)
    exchange(connection, `/late/${at}`, 10).close()
    packets.push(...connection.packets)
  }
  const rare = new Conversation({
    client: '10.9.9.9',
    server: '10.1.0.2',
    clientPort: 7777,
    start: RECORDING_START * 1000,
  })
  rare.handshake()
  for (let at = 0; at < 12; at++) exchange(rare, `/rare/${at}`, 20).wait(5_000_000)
  packets.push(...rare.packets)
  return packets.sort((a, b) => a.time - b.time)
}

function exchange(connection: Conversation, path: string, bodySize: number): Conversation {
  return connection
    .send(0, `GET ${path} HTTP/1.1\r\nhost: shop\r\n\r\n`)
    .wait(20_000)
    .send(1, `HTTP/1.1 200 OK\r\ncontent-length: ${bodySize}\r\n\r\n${'x'.repeat(bodySize)}`)
}

/** A ring with these packets in blocks of 64: closed segments, by default with an index. */
export function recorded(folder: string, packets: readonly BuiltPacket[], indexed = true): Ring {
  const options = { maxBytes: 16 * MIB, node: 'n1', application: 'test' }
  const ring = Ring.open(folder, options)
  ring.addInterface({ name: 'eth0', link: 1 })
  for (let at = 0; at < packets.length; at += 64) {
    const some = packets.slice(at, at + 64)
    const writer = new PcapngWriter()
    for (const { data, time } of some) writer.packet(0, time, data, 0, data.length, data.length)
    const block = writer.take()
    ring.append(block, block.length, {
      packets: some.length,
      first: some[0]!.time,
      last: some.at(-1)!.time,
      drops: 0,
    })
  }
  ring.close()
  const again = Ring.open(folder, options)
  while (indexed && again.maintain());
  return again
}
