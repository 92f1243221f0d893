import { ethernet, frame, ipv4, tcpFrame } from '@tapdeck/wire/testing'
import { expect, test } from 'vitest'
import { type FrameSink, KernelRing } from './kernel-ring.ts'
import { BLOCK_SIZE } from './packet-socket.ts'
import { fillBlock } from './testing/kernel-block.ts'

interface Seen {
  readonly bytes: Uint8Array
  readonly length: number
  readonly time: number
  readonly index: number
  readonly hardware: number
}

function walked(memory: ArrayBuffer, ring: KernelRing): Seen[] {
  const seen: Seen[] = []
  const all = new Uint8Array(memory)
  const sink: FrameSink = {
    frame: (start, end, length, time, index, hardware) =>
      seen.push({ bytes: all.slice(start, end), length, time, index, hardware }),
  }
  while (ring.next(sink));
  return seen
}

const tcp = tcpFrame({ src: '10.0.0.1', dst: '10.0.0.2', sport: 1, dport: 2, payload: 'hello' })

test('packets come out with bytes, true length, microseconds and interface', () => {
  const memory = new ArrayBuffer(4 * BLOCK_SIZE)
  const ring = new KernelRing(memory, memory.byteLength)
  fillBlock(memory, 0, [
    { bytes: tcp, seconds: 1_800_000_000, nanoseconds: 123_456_789, interfaceIndex: 7 },
    { bytes: tcp.subarray(0, 40), length: 9000, seconds: 4_000_000_000, hardwareType: 772 },
  ])
  expect(walked(memory, ring)).toEqual([
    { bytes: tcp, length: tcp.length, time: 1_800_000_000_123_456, index: 7, hardware: 1 },
    { bytes: tcp.slice(0, 40), length: 9000, time: 4_000_000_000_000_000, index: 1, hardware: 772 },
  ])
})

test('a VLAN tag that the kernel took out stands in its place again', () => {
  const memory = new ArrayBuffer(4 * BLOCK_SIZE)
  const inner = ipv4('10.0.0.1', '10.0.0.2', 17, new Uint8Array(80).fill(9))
  fillBlock(memory, 0, [
    { bytes: frame(inner), seconds: 1, vlan: { tci: 0x2005 } },
    { bytes: frame(inner), seconds: 1, vlan: { tci: 42, tpid: 0x88a8 } },
  ])
  const [plain, service] = walked(memory, new KernelRing(memory, memory.byteLength))
  const tagged = ethernet(0x0800, inner, [0x2005])
  expect(plain!.bytes).toEqual(tagged)
  expect(plain!.length).toBe(tagged.length)
  expect([...service!.bytes.subarray(12, 18)]).toEqual([0x88, 0xa8, 0, 42, 0x08, 0x00])
})

test('of other link layers the IP packet is taken, and what is no IP is counted', () => {
  const memory = new ArrayBuffer(4 * BLOCK_SIZE)
  const ring = new KernelRing(memory, memory.byteLength)
  const packet = ipv4('10.0.0.1', '10.0.0.2', 6, new Uint8Array(20))
  fillBlock(memory, 0, [
    { bytes: packet, seconds: 1, network: 0, hardwareType: 0xfffe },
    { bytes: new Uint8Array([1, 2, 3, 4, ...packet]), seconds: 1, network: 4, hardwareType: 778 },
    { bytes: packet, seconds: 1, network: 0, hardwareType: 0xfffe, protocol: 0x88cc },
  ])
  const seen = walked(memory, ring)
  expect(seen.map((one) => one.bytes)).toEqual([packet, packet])
  expect(seen.map((one) => one.length)).toEqual([packet.length, packet.length])
  expect(ring.unknown).toBe(1)
})

test('blocks are taken in turn, given back, and taken again after the last', () => {
  const memory = new ArrayBuffer(4 * BLOCK_SIZE)
  const ring = new KernelRing(memory, memory.byteLength)
  expect(walked(memory, ring)).toHaveLength(0)
  for (let round = 0; round < 3; round++) {
    for (let block = 0; block < 4; block++) {
      fillBlock(memory, block, [{ bytes: tcp, seconds: round * 4 + block }])
      expect(walked(memory, ring).map((one) => one.time / 1e6)).toEqual([round * 4 + block])
      expect(new Int32Array(memory)[(block * BLOCK_SIZE) / 4 + 2]).toBe(0)
    }
  }
})
