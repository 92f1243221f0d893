import { expect, test, vi } from 'vitest'
import { DelayedBlocks } from './delayed-blocks.ts'

test('blocks are copied, passed on in order when they are due, and at once by a flush', async () => {
  const taken: number[] = []
  const blocks = new DelayedBlocks(20, (bytes) => taken.push(bytes[0]!))
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

test('the oldest blocks are passed on early if too many bytes wait', () => {
  let taken = 0
  const blocks = new DelayedBlocks(60_000, (bytes) => {
    taken += bytes.length
  })
  const large = new Uint8Array(24 * 1024 * 1024)
  for (let i = 0; i < 4; i++) blocks.push(large)
  expect([blocks.early, taken]).toEqual([2, 2 * large.length])
  blocks.flush()
})
