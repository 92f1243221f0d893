import { Conversation, MICROSECONDS, pcap } from '@tapdeck/wire/testing'

const NOON_US = Date.UTC(2026, 0, 1, 12) * 1000
const CALLS_EACH = 100
const FILE_HEADER = 24
/** Connections whose packets are in memory at a time. */
const AT_ONCE = 200

/**
 * A capture file of many small calls, `/orders/0` the oldest. They are dense at times and sparse at others, so that the row of a call
 * does not follow from its time alone.
 */
export function manyCalls(calls: number): Buffer {
  const parts: Buffer[] = []
  let start = NOON_US
  for (let first = 0; first * CALLS_EACH < calls; first += AT_ONCE) {
    const packets = []
    for (let number = first; number < first + AT_ONCE && number * CALLS_EACH < calls; number++) {
      const talk = connection(number, start, Math.min(CALLS_EACH, calls - number * CALLS_EACH))
      packets.push(...talk.packets)
      start = talk.time
    }
    const file = Buffer.from(pcap(MICROSECONDS, true)(packets))
    parts.push(first === 0 ? file : file.subarray(FILE_HEADER))
  }
  return Buffer.concat(parts)
}

function connection(number: number, start: number, calls: number): Conversation {
  const talk = new Conversation({
    client: `10.0.${(number >> 8) & 255}.${number & 255}`,
    server: `10.1.0.${number % 20}`,
    clientPort: 30_000 + (number % 30_000),
    start,
    step: number % 7 === 0 ? 5000 : 40,
  }).handshake()
  for (let call = 0; call < calls; call++) {
    const id = number * CALLS_EACH + call
    talk.send(0, `GET /orders/${id} HTTP/1.1\r\nhost: shop\r\n\r\n`)
    talk.send(1, `HTTP/1.1 ${id % 17 === 0 ? '500 Oh no' : '200 OK'}\r\ncontent-length: 0\r\n\r\n`)
  }
  return talk.close()
}
