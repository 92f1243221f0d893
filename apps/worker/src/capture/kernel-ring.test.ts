import { tcpFrame } from '@tapdeck/wire/testing'
import { expect, test } from 'vitest'
import { KernelRing } from './kernel-ring.ts'
import { BLOCK_SIZE, FIRST_PACKET } from './packet-socket.ts'
import { fillBlock } from './testing/kernel-block.ts'

const bytes = tcpFrame({ src: '10.0.0.1', dst: '10.0.0.2', sport: 1, dport: 2, payload: 'hello' })

test('blocks are taken in order, released, and taken again after the last', () => {
  const memory = new ArrayBuffer(4 * BLOCK_SIZE)
  const words = new Int32Array(memory)
  const ring = new KernelRing(memory, memory.byteLength)
  const taken: { at: number; packets: number; status: number }[] = []
  const sink = {
    block: (at: number, packets: number) => {
      taken.push({ at, packets, status: words[((at - FIRST_PACKET) >> 2) + 2]! })
      return false
    },
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
      // The block is not released before the sink has returned.
      expect(taken.pop()).toEqual({ at: at + FIRST_PACKET, packets: block + 1, status: 1 })
      expect(words[(at >> 2) + 2]).toBe(0)
    }
  }
})

test('a kept block is not released, and later blocks are taken meanwhile', () => {
  const memory = new ArrayBuffer(8 * BLOCK_SIZE)
  const words = new Int32Array(memory)
  const status = (block: number) => words[((block * BLOCK_SIZE) >> 2) + 2]
  const ring = new KernelRing(memory, memory.byteLength)
  for (let block = 0; block < 6; block++) fillBlock(memory, block, [{ bytes, seconds: 1 }])
  const places: number[] = []
  expect(ring.isBehind).toBe(true)
  for (let block = 0; block < 3; block++) ring.next({ block: (at) => places.push(at) > 0 })
  expect(ring.isBehind).toBe(false)
  for (let block = 3; block < 5; block++) ring.next({ block: () => false })
  expect([0, 1, 2, 3, 4, 5].map(status)).toEqual([1, 1, 1, 0, 0, 1])
  expect([ring.kept, ring.maxKept]).toEqual([3, 2])
  // The kernel has only the two blocks before it.
  expect(ring.isBehind).toBe(true)
  ring.release(places[0]!)
  expect([0, 1, 2, 3, 4, 5].map(status)).toEqual([0, 1, 1, 0, 0, 1])
  expect([ring.kept, ring.isBehind]).toEqual([2, false])
})

test('a block that is still kept one round later is not read again', () => {
  const memory = new ArrayBuffer(4 * BLOCK_SIZE)
  const ring = new KernelRing(memory, memory.byteLength)
  for (let block = 0; block < 4; block++) fillBlock(memory, block, [{ bytes, seconds: 1 }])
  const places: number[] = []
  ring.next({ block: (at) => places.push(at) > 0 })
  while (ring.next({ block: () => false })) {}
  expect([ring.taken, ring.begun, ring.kept]).toEqual([4, 4, 1])
  ring.release(places[0]!)
  fillBlock(memory, 0, [{ bytes, seconds: 2 }])
  expect([ring.next({ block: () => false }), ring.taken, ring.kept]).toEqual([true, 5, 0])
})

test('`begun` counts ready blocks and the one that the kernel fills', () => {
  const memory = new ArrayBuffer(4 * BLOCK_SIZE)
  const words = new Int32Array(memory)
  const ring = new KernelRing(memory, memory.byteLength)
  const status = (block: number) => ((block * BLOCK_SIZE) >> 2) + 2
  expect([ring.taken, ring.begun]).toEqual([0, 0])
  for (let block = 0; block < 3; block++) fillBlock(memory, block, [{ bytes, seconds: 1 }])
  expect([ring.taken, ring.begun]).toEqual([0, 3])
  words[status(2)] = 0
  expect([ring.taken, ring.begun]).toEqual([0, 3])
  while (ring.next({ block: () => true })) {}
  expect([ring.taken, ring.begun]).toEqual([2, 3])
  words[status(2)] = 1
  fillBlock(memory, 3, [{ bytes, seconds: 1 }])
  // Kept blocks were taken before.
  expect([ring.taken, ring.begun]).toEqual([2, 4])
})

test('loss that the kernel reports is returned once', () => {
  const memory = new ArrayBuffer(4 * BLOCK_SIZE)
  const ring = new KernelRing(memory, memory.byteLength)
  fillBlock(memory, 0, [{ bytes, seconds: 1 }])
  new Int32Array(memory)[2]! |= 4
  expect(ring.takeLosing()).toBe(false)
  ring.next({ block: () => false })
  expect([ring.takeLosing(), ring.takeLosing()]).toEqual([true, false])
})
