import { Conversation, MICROSECONDS, pcap } from '@tapdeck/wire/testing'

const NOON_US = Date.UTC(2026, 0, 1, 12) * 1000
const SECOND_US = 1_000_000

/** A capture file of ten connections with three calls each. Two connections belong to one trace; the last call of each fails. */
export function listCapture(): Buffer {
  const packets = Array.from({ length: 10 }, (_, number) => {
    const talk = new Conversation({
      clientPort: 30_000 + number,
      start: NOON_US + number * SECOND_US,
      step: 1000,
    })
    const trace = String(number >> 1).repeat(32)
    talk.handshake()
    for (const step of [0, 1, 2]) {
      talk.send(
        0,
        `GET /books/${number}/${step} HTTP/1.1\r\nhost: books-${number}\r\ntraceparent: 00-${trace}-00f067aa0ba902b7-01\r\n\r\n`,
      )
      talk.send(1, `HTTP/1.1 ${step < 2 ? '200 OK' : '500 Oh no'}\r\ncontent-length: 0\r\n\r\n`)
    }
    return talk.close().packets
  })
  return Buffer.from(pcap(MICROSECONDS, true)(packets.flat()))
}
