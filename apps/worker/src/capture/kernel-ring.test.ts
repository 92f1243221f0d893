import { tcpFrame } from '@tapdeck/wire/testing'
import { expect, test } from 'vitest'
import { KernelRing } from './kernel-ring.ts'
import { BLOCK_SIZE } from './packet-socket.ts'
import { FIRST_PACKET, fillBlock } from './testing/kernel-block.ts'

const bytes = tcpFrame({ src: '10.0.0.1', dst: '10.0.0.2', sport: 1, dport: 2, payload: 'hello' })

test('blocks are taken in turn, given back, and taken again after the last', () => {
  const memory = new ArrayBuffer(4 * BLOCK_SIZE)
  const words = new Int32Array(memory)
  const ring = new KernelRing(memory, memory.byteLength)
  const taken: { at: number; packets: number; status: number }[] = []
  const sink = {
    block: (at: number, packets: number) =>
      taken.push({ at, packets, status: words[((at - FIRST_PACKET) >> 2) + 2]! }),
  }
  expect(ring.next(sink)).toBe(false)
  for (let round = 0; round < 3; round++) {
    for (let block = 0; block < 4; block++) {
      const at = block * BLOCK_SIZE
      fillBlock(
        memory,
        block,
        Array.from({ length: block + 1 }, () => ({ bytes, seconds: 1 })),
      )
      expect(ring.next(sink)).toBe(true)
      expect(ring.next(sink)).toBe(false)
      // The block is ours until the sink has returned.
      expect(taken.pop()).toEqual({ at: at + FIRST_PACKET, packets: block + 1, status: 1 })
      expect(words[(at >> 2) + 2]).toBe(0)
    }
  }
})
