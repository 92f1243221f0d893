import { expect, test, vi } from 'vitest'
import { DelayedBlocks } from './delayed-blocks.ts'

const FOREVER = 10 ** 8

test('blocks are copied, passed on in order when they are due, and at once by a flush', async () => {
  const taken: number[] = []
  const blocks = new DelayedBlocks({ least: 20, most: 20 }, (bytes) => taken.push(bytes[0]!))
  const memory = new Uint8Array(1)
  for (const value of [1, 2, 3]) {
    memory[0] = value
    blocks.push(memory)
  }
  expect([taken, blocks.oldest?.[0]]).toEqual([[], 1])
  await vi.waitUntil(() => taken.length === 3)
  memory[0] = 4
  blocks.push(memory)
  blocks.flush()
  expect([taken, blocks.oldest]).toEqual([[1, 2, 3, 4], undefined])
})

test('a block waits until all secrets of its time have arrived', () => {
  const taken: number[] = []
  let now = 1000
  const blocks = new DelayedBlocks(
    { least: -1, most: FOREVER },
    (bytes) => taken.push(bytes[0]!),
    () => now,
  )
  blocks.push(Uint8Array.of(1))
  now = 2000
  blocks.push(Uint8Array.of(2))
  blocks.caughtUp(999)
  expect(taken).toEqual([])
  blocks.caughtUp(1999)
  expect(taken).toEqual([1])
  blocks.caughtUp(2000)
  expect(taken).toEqual([1, 2])
})

test('a block that is due does not wait for a pause in which the timer fires', () => {
  const taken: number[] = []
  const blocks = new DelayedBlocks({ least: -1, most: -1 }, (bytes) => taken.push(bytes[0]!))
  for (const value of [1, 2, 3]) blocks.push(Uint8Array.of(value))
  expect(taken).toEqual([1, 2, 3])
})

test('the oldest blocks are passed on early if too many bytes wait', () => {
  let taken = 0
  const blocks = new DelayedBlocks({ least: FOREVER, most: FOREVER }, (bytes) => {
    taken += bytes.length
  })
  const large = new Uint8Array(24 * 1024 * 1024)
  for (let i = 0; i < 4; i++) blocks.push(large)
  expect([blocks.early, taken]).toEqual([2, 2 * large.length])
  blocks.flush()
})
