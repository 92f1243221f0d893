import { expect, it } from 'vitest'
import { borrow, giveBack } from './spare-bytes.ts'

it('has room for what was asked for, and no more than twice that', () => {
  for (let size = 256; size <= 5000; size += 7) {
    const bytes = borrow(size)
    expect(bytes.length).toBeGreaterThanOrEqual(size)
    expect(bytes.length).toBeLessThan(2 * size)
  }
})

it('lends what was given back', () => {
  const bytes = borrow(1000)
  giveBack(bytes)
  expect(borrow(600) === bytes).toBe(true)
  expect(borrow(600) === bytes).toBe(false)
})

it('keeps nothing that would be too small for the next', () => {
  const odd = new Uint8Array(1000)
  giveBack(odd)
  giveBack(new Uint8Array(0))
  const lent = Array.from({ length: 40 }, () => borrow(600))
  expect(lent).not.toContain(odd)
  expect(lent.every(({ length }) => length === 1024)).toBe(true)
})

it('keeps a few at most', () => {
  const lent = Array.from({ length: 40 }, () => borrow(2048))
  for (const bytes of lent) giveBack(bytes)
  const again = new Set(Array.from({ length: 40 }, () => borrow(2048)))
  expect(lent.filter((bytes) => again.has(bytes))).toHaveLength(16)
})
