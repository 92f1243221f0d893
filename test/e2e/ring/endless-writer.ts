import { writeSync } from 'node:fs'
import { Ring } from '@tapdeck/recording'
import { PcapngWriter } from '@tapdeck/wire'
import { tcpFrame } from '@tapdeck/wire/testing'

/** Records packets until it is killed, and says of each block on standard output when it is stored: up to which number. */
const [, , folder, from] = process.argv
const ring = Ring.open(folder!, { maxBytes: 24 << 20, node: 'n', application: 'test' })
ring.addInterface({ name: 'eth0', link: 1 })
const writer = new PcapngWriter()
const payload = new Uint8Array(1000)
for (let number = Number(from); ; ) {
  const first = number
  for (; number < first + 16; number++) {
    // Every 97th packet is somebody else's.
    const src = number % 97 === 0 ? '10.9.9.9' : `10.0.0.${number % 200}`
    const data = tcpFrame({ src, dst: '10.1.0.1', sport: 4000, dport: 80, payload })
    writer.packet(0, number * 1000, data, 0, data.length, data.length)
  }
  const block = writer.take()
  const times = { first: first * 1000, last: (number - 1) * 1000 }
  ring.append(block, block.length, { packets: 16, ...times, drops: 0 })
  writeSync(1, `${number}\n`)
}
