import { closeSync, openSync, writeSync } from 'node:fs'
import { PCAP_RECORD_OVERHEAD, pcapHeader, pcapRecord } from '@tapdeck/wire'
import { Conversation, ETHERNET } from '@tapdeck/wire/testing'

const CONNECTIONS = 100

let state = 1
const below = (n: number) => {
  state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
  return state % n
}
const words =
  'order customer price quantity shipping address payment status pending user session item region'.split(' ')

function body(): string {
  let text = '['
  while (text.length < 1023)
    text += `{"id":${below(1e6)},"${words[below(13)]}":"${words[below(13)]}","v":${below(1e6) / 100}},`
  return `${text.slice(0, 1023)}]`
}

const bodies = Array.from({ length: 1000 }, body)

/** A capture of JSON over keep-alive connections that take turns, every segment acknowledged: four packets a call. */
export function writeShopCapture(path: string, calls: number): void {
  const file = openSync(path, 'w')
  const target = new Uint8Array(1 << 20)
  let used = pcapHeader(target, 0, ETHERNET)
  const talks = Array.from({ length: CONNECTIONS }, (_, i) =>
    new Conversation({
      client: `10.0.${i % 40}.7`,
      server: `10.1.${i % 37}.9`,
      clientPort: 20_000 + i,
      step: 10,
    }).handshake(),
  )
  const drain = () => {
    for (const talk of talks)
      for (const { data, time } of talk.packets.splice(0)) {
        if (used + data.length + PCAP_RECORD_OVERHEAD > target.length) {
          writeSync(file, target, 0, used)
          used = 0
        }
        const { length } = data
        used = pcapRecord(target, used, { time, data, start: 0, end: length, length })
      }
  }
  for (let n = 0; n < calls / CONNECTIONS; n++) {
    for (const [i, talk] of talks.entries())
      talk.send(
        0,
        `GET /api/v1/${words[below(13)]}s/${below(1e6)} HTTP/1.1\r\nHost: shop\r\nUser-Agent: bench/1.0\r\nX-Request-Id: ${i}-${n}\r\n\r\n`,
      )
    drain()
    for (const talk of talks)
      talk.send(
        1,
        `HTTP/1.1 ${below(50) === 0 ? 503 : 200} OK\r\nContent-Type: application/json\r\nContent-Length: 1024\r\n\r\n${bodies[below(1000)]}`,
      )
    drain()
  }
  for (const talk of talks) talk.close()
  drain()
  writeSync(file, target, 0, used)
  closeSync(file)
}
