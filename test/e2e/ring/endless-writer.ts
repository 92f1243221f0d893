import { writeSync } from 'node:fs'
import { Ring } from '@tapdeck/recording'
import { PcapngWriter } from '@tapdeck/wire'
import { tcpFrame } from '@tapdeck/wire/testing'

/**
 * Records packets until it is killed, and says of each block on standard output when it is stored: up to which number. In turns
 * as blocks of any length and as whole pages.
 */
const [, , folder, from] = process.argv
const ring = Ring.open(folder!, { maxBytes: 24 << 20, node: 'n', application: 'test' })
ring.addInterface({ name: 'eth0', link: 1 })
const writer = new PcapngWriter()
const payload = new Uint8Array(1000)
/** Memory that begins at a page, as direct writes want it. */
const pages = new Uint8Array(new WebAssembly.Memory({ initial: 1 }).buffer, 0, 5 * 4096)
const front = 64
for (let number = Number(from); ; ) {
  const first = number
  const asPages = (first / 16) % 2 === 1
  for (; number < first + 16; number++) {
    // Every 97th packet is of another connection.
    const src = number % 97 === 0 ? '10.9.9.9' : `10.0.0.${number % 200}`
    const data = tcpFrame({ src, dst: '10.1.0.1', sport: 4000, dport: 80, payload })
    const filled =
      number === first + 15 && asPages ? grown(data, pages.length - front - 15 * size(data) - 32) : data
    writer.packet(0, number * 1000, filled, 0, filled.length, filled.length)
  }
  const block = writer.take()
  const times = { packets: 16, first: first * 1000, last: (number - 1) * 1000 }
  if (asPages) {
    pages.set(block, front)
    await new Promise<void>((resolve) => {
      if (!ring.appendPages([{ bytes: pages, front, ...times }], 0, true, resolve)) resolve()
    })
  } else ring.append(block, block.length, { ...times, drops: 0 })
  writeSync(1, `${number}\n`)
}

function size(data: Uint8Array): number {
  return 32 + data.length + (-data.length & 3)
}

function grown(data: Uint8Array, length: number): Uint8Array {
  const bytes = new Uint8Array(length)
  bytes.set(data)
  return bytes
}
