import { expect, test } from 'vitest'
import { Spool } from './spool.ts'

const texts = Array.from({ length: 3000 }, (_, at) => `${at} ${'äöü €'.repeat(at % 300)}`)

test.each([
  ['in memory', 1 << 30],
  ['in a file', 1 << 16],
])('texts come back by number in any order, %s', (_, ceiling) => {
  const spool = new Spool(ceiling)
  expect(texts.map((text) => spool.put(text))).toEqual(texts.map((_, at) => at))
  for (const at of [2999, 0, 1500, 1, 2998]) expect(spool.get(at)).toBe(texts[at])
  expect(texts.every((text, at) => spool.get(at) === text)).toBe(true)
  expect(spool.spilled > 0).toBe(ceiling === 1 << 16)
  spool.close()
})

test('a text larger than a block is kept whole, as is an empty one', () => {
  const spool = new Spool(0)
  const large = 'x'.repeat(3 << 20)
  const numbers = ['', large, 'after'].map((text) => spool.put(text))
  expect(numbers.map((number) => spool.get(number))).toEqual(['', large, 'after'])
  spool.close()
})
