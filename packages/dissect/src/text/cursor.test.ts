import { Malformed } from '@tapdeck/wire'
import { expect, test } from 'vitest'
import { Cursor } from './cursor.ts'

test('reads values in sequence', () => {
  const cursor = new Cursor(Uint8Array.of(1, 0x12, 0x34, 0xff, 0, 0, 2, 0x68, 0x69, 0xc3, 0xa9, 9, 8), 0, 12)
  expect([cursor.byte(), cursor.short(), cursor.long()]).toEqual([1, 0x1234, 0xff000002])
  expect([cursor.text(2), cursor.text(2), cursor.left]).toEqual(['hi', 'é', 1])
  expect(cursor.take(1)).toEqual(Uint8Array.of(9))
})

test('throws beyond its end, and at invalid lengths', () => {
  const cursor = new Cursor(Uint8Array.of(1, 2, 3, 4), 0, 1)
  for (const read of [
    () => cursor.short(),
    () => cursor.long(),
    () => cursor.take(2),
    () => cursor.text(2),
    () => cursor.skip(-1),
  ])
    expect(read).toThrow(Malformed)
  expect(cursor.byte()).toBe(1)
  expect(() => cursor.byte()).toThrow(Malformed)
})
