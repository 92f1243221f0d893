import { Conversation, MICROSECONDS, pcap } from '@tapdeck/wire/testing'

const DAWN_US = Date.UTC(2026, 0, 1) * 1000
const SECOND_US = 1_000_000

/** A capture file of four minutes: a call a second, and every call of the last two minutes fails. */
export function incidentCapture(): Buffer {
  const packets = Array.from({ length: 240 }, (_, second) => {
    const talk = new Conversation({
      clientPort: 20_000 + second,
      start: DAWN_US + second * SECOND_US,
      step: 1000,
    })
    talk.handshake()
    talk.send(0, `GET /orders/${second} HTTP/1.1\r\nhost: orders\r\n\r\n`)
    talk.send(1, `HTTP/1.1 ${second < 120 ? '200 OK' : '500 Oh no'}\r\ncontent-length: 0\r\n\r\n`)
    return talk.close().packets
  })
  return Buffer.from(pcap(MICROSECONDS, true)(packets.flat()))
}
