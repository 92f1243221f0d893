import { type BuiltPacket, Conversation, ETHERNET } from '@tapdeck/wire/testing'
import { PacketOrigin, PcapCapture, PcapngCapture } from '../export/capture-writer.ts'
import { Output } from '../export/output.ts'

export interface HttpTraffic {
  readonly requests: number
  /** Unix milliseconds of the first packet. */
  readonly start?: number
  readonly mark?: string
  readonly client?: string
  readonly server?: string
  /** Bytes of each response, where that is to be more than it has to say. */
  readonly bodySize?: number
}

/** HTTP requests, ten a connection, of which every tenth fails. */
export function httpPackets({
  requests,
  start = 1_700_000_000_000,
  mark = 'shop',
  client = '10.0.0.1',
  server = '10.0.0.2',
  bodySize = 0,
}: HttpTraffic): BuiltPacket[] {
  const packets: BuiltPacket[] = []
  let time = start * 1000
  for (let first = 0; first < requests; first += 10) {
    const talk = new Conversation({ client, server, clientPort: 20_000 + first, start: time })
    talk.handshake()
    for (let at = first; at < Math.min(requests, first + 10); at++) {
      const fails = at % 10 === 0
      const body = JSON.stringify({ mark, at }).padEnd(bodySize)
      talk.send(
        0,
        `GET /${mark}/${fails ? 'fail' : 'orders'}/${at} HTTP/1.1\r\nhost: ${server}\r\nx-mark: ${mark}\r\n\r\n`,
      )
      talk.send(
        1,
        `HTTP/1.1 ${fails ? '500 Oh no' : '200 OK'}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
      )
    }
    talk.close()
    packets.push(...talk.packets)
    time = talk.time
  }
  return packets
}

export function captureFile(packets: readonly BuiltPacket[], format: 'pcap' | 'pcapng' = 'pcapng'): Buffer {
  const writer = format === 'pcap' ? new PcapCapture() : new PcapngCapture(new Map())
  const output = new Output()
  const origin = new PacketOrigin('test')
  for (const { data, time, length = data.length } of packets)
    writer.packet(output, origin, { link: ETHERNET, data, start: 0, end: data.length, length, time })
  writer.header(output)
  return Buffer.from(output.take())
}
