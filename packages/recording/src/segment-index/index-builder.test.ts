import { PcapngWriter } from '@tapdeck/wire'
import { ethernet, ipv4, tcpFrame, udpFrame } from '@tapdeck/wire/testing'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { EndsWalk } from './ends-walk.ts'
import { IndexBuilder } from './index-builder.ts'

/** Few ends, so that packets repeat those of others in all but one of them. */
const end = fc.record({
  src: fc.constantFrom('10.0.0.1', '10.0.0.2', '10.1.0.1'),
  dst: fc.constantFrom('10.0.0.1', '10.0.0.3', '10.1.0.1'),
  sport: fc.constantFrom(1, 256, 4789),
  dport: fc.constantFrom(1, 257, 4789),
  kind: fc.constantFrom('tcp', 'udp', 'tagged', 'fragment', 'cut', 'large', 'overlay'),
})

function bytesOf({ kind, ...ends }: typeof end extends fc.Arbitrary<infer One> ? One : never): Uint8Array {
  const plain = tcpFrame({ ...ends, payload: 'hello' })
  if (kind === 'udp') return udpFrame({ ...ends, payload: new Uint8Array(1200) })
  if (kind === 'overlay') {
    // VXLAN: a flag and a network, then a whole frame.
    const outer = { src: '172.16.0.1', dst: '172.16.0.2', sport: 5555, dport: 4789 }
    const inner = tcpFrame({ ...ends, src: ends.src.replace('10.', '11.'), payload: 'hello' })
    return udpFrame({ ...outer, payload: Uint8Array.of(8, 0, 0, 0, 0, 0, 9, 0, ...inner) })
  }
  if (kind === 'tagged') return ethernet(0x0800, ipv4(ends.src, ends.dst, 6, plain.subarray(34)), [5])
  if (kind === 'cut') return plain.subarray(0, 36)
  if (kind === 'large') return tcpFrame({ ...ends, payload: new Uint8Array(60_000) })
  if (kind === 'fragment') plain[20] = 0x20
  return plain
}

const memory = new WebAssembly.Memory({ initial: 300 })
const walk = new EndsWalk(memory, 0)

/** In the memory of the walk, somewhere behind what it remembers. */
function inMemory(bytes: Uint8Array): Uint8Array {
  const there = new Uint8Array(memory.buffer, EndsWalk.bytes + 4096, bytes.length)
  there.set(bytes)
  return there
}

test('what is known of packets as they are written is what reading them tells', () => {
  fc.assert(
    fc.property(fc.array(end, { minLength: 1, maxLength: 200 }), (packets) => {
      const writer = new PcapngWriter()
      writer.section()
      writer.interface({ name: 'eth0', link: 1 })
      const preamble = writer.take()
      const blocks = packets.map((packet, at) => {
        const bytes = bytesOf(packet)
        writer.packet(0, 1e15 + at, bytes, 0, bytes.length, bytes.length)
        return new Uint8Array(writer.take())
      })
      const whole = new Uint8Array(Buffer.concat(blocks))
      const reading = new IndexBuilder()
      const writing = new IndexBuilder(undefined, walk)
      for (const builder of [reading, writing]) builder.push(preamble, preamble.length)
      reading.push(whole, whole.length)
      writing.pushPackets(inMemory(whole))
      expect(writing.at).toBe(reading.at)
      expect(writing.finish()).toEqual(reading.finish())
      expect(writing.finish()?.parties).toEqual(reading.finish()?.parties)
    }),
    { numRuns: 60 },
  )
})

test('what is no packet block is not believed to have been written', () => {
  const builder = new IndexBuilder(undefined, walk)
  builder.pushPackets(inMemory(new Uint8Array(64)))
  expect(builder.finish()).toBeUndefined()
})
