import { expect, it } from 'vitest'
import { borrowBuffer, returnBuffer } from './frame-buffer-pool.ts'

it('returns at least the requested size, and at most twice that', () => {
  for (let size = 256; size <= 5000; size += 7) {
    const bytes = borrowBuffer(size)
    expect(bytes.length).toBeGreaterThanOrEqual(size)
    expect(bytes.length).toBeLessThan(2 * size)
  }
})

it('reuses returned buffers', () => {
  const bytes = borrowBuffer(1000)
  returnBuffer(bytes)
  expect(borrowBuffer(600) === bytes).toBe(true)
  expect(borrowBuffer(600) === bytes).toBe(false)
})

it('does not pool buffers of other sizes', () => {
  const odd = new Uint8Array(1000)
  returnBuffer(odd)
  returnBuffer(new Uint8Array(0))
  const lent = Array.from({ length: 40 }, () => borrowBuffer(600))
  expect(lent).not.toContain(odd)
  expect(lent.every(({ length }) => length === 1024)).toBe(true)
})

it('pools a limited number', () => {
  const lent = Array.from({ length: 40 }, () => borrowBuffer(2048))
  for (const bytes of lent) returnBuffer(bytes)
  const again = new Set(Array.from({ length: 40 }, () => borrowBuffer(2048)))
  expect(lent.filter((bytes) => again.has(bytes))).toHaveLength(16)
})
