import { expect, test } from 'vitest'
import type { CompactCall } from '../client/call-details.ts'
import { BLOCK_ROWS, RowBlocks } from './row-blocks.ts'

const peer = { ip: '10.0.0.1', port: 80 }
const calls = (first: number, count: number) =>
  Array.from({ length: count }, (_, i): CompactCall => {
    const ts = first + i
    return { id: `n/${ts}/0`, ts, src: peer, dst: peer, proto: 'http' }
  })

test('calls are found by row and by id, across the edges of blocks', () => {
  const blocks = new RowBlocks()
  blocks.put(BLOCK_ROWS - 2, calls(BLOCK_ROWS - 2, 5))
  expect(blocks.at(BLOCK_ROWS + 2)?.ts).toBe(BLOCK_ROWS + 2)
  expect(blocks.rowOf(`n/${BLOCK_ROWS}/0`)).toBe(BLOCK_ROWS)
  expect([blocks.at(0), blocks.rowOf('n/0/0')]).toEqual([undefined, -1])
})

test('a row that gets another call forgets the one before', () => {
  const blocks = new RowBlocks()
  blocks.put(7, calls(1, 1))
  blocks.put(7, calls(2, 1))
  expect([blocks.size, blocks.rowOf('n/1/0'), blocks.rowOf('n/2/0')]).toEqual([1, -1, 7])
})

test('blocks far from the view are forgotten', () => {
  const blocks = new RowBlocks()
  for (let row = 0; row < 100; row++) blocks.put(row * BLOCK_ROWS, calls(row * BLOCK_ROWS, 3))
  blocks.keepNear(90 * BLOCK_ROWS)
  expect(blocks.size).toBe(24 * 3)
  expect([blocks.at(90 * BLOCK_ROWS)?.ts, blocks.at(0)]).toEqual([90 * BLOCK_ROWS, undefined])
})
