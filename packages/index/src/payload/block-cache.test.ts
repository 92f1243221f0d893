import { expect, it } from 'vitest'
import { Block, PLAIN } from './block.ts'
import { BlockCache } from './block-cache.ts'

const block = (length: number) =>
  new Block(
    { number: 0, items: 0, rawLength: length, storedLength: length, crc: 0, codec: PLAIN },
    new Uint8Array(length),
  )

it('keeps what was used last within its ceiling', () => {
  const cache = new BlockCache(100)
  cache.set('a', block(40))
  cache.set('b', block(40))
  cache.get('a')
  cache.set('c', block(40))
  expect(['a', 'b', 'c'].map((key) => cache.get(key) !== undefined)).toEqual([true, false, true])
})

it('keeps one block that is larger than its ceiling, and that alone', () => {
  const cache = new BlockCache(100)
  cache.set('a', block(10))
  cache.set('big', block(500))
  expect(cache.get('a')).toBe(undefined)
  expect(cache.get('big')).toBeDefined()
  cache.set('b', block(10))
  expect(cache.get('big')).toBe(undefined)
})
