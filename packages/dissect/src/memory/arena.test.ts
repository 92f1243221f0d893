import { describe, expect, it } from 'vitest'
import { Arena, own } from './arena.ts'

describe('an arena', () => {
  it('copies bytes', () => {
    const arena = new Arena()
    for (const packet of [
      Buffer.from('abcdef'),
      new TextEncoder().encode('abcdef'),
      Buffer.alloc(40_000, 'x'),
    ]) {
      const before = packet[1]
      const copy = arena.copy(packet, 1, packet.length)
      packet.fill(0)
      expect(copy[0]).toBe(before)
      expect(copy).toHaveLength(packet.length - 1)
    }
  })

  it('returns views of a stable chunk, and copies other bytes', () => {
    const arena = new Arena()
    const [chunk, other] = [Uint8Array.of(0, 1, 2, 3, 4).subarray(1), Uint8Array.of(1, 2, 3, 4)]
    arena.setStable(chunk)
    expect(arena.copy(chunk, 1, 3)).toEqual(Uint8Array.of(2, 3))
    expect(arena.copy(chunk, 1, 3).buffer).toBe(chunk.buffer)
    expect(arena.copy(other, 1, 3)).toEqual(Uint8Array.of(2, 3))
    expect(arena.copy(other, 1, 3).buffer).not.toBe(other.buffer)
    arena.setStable(other)
    expect(arena.copy(chunk, 1, 3).buffer).not.toBe(chunk.buffer)
  })

  it('keeps slices separate', () => {
    const arena = new Arena()
    const slices = Array.from({ length: 5000 }, (_, i) => arena.copy(Uint8Array.of(i, i >> 8, i), 0, 3))
    expect(
      slices.every((slice, i) => slice[0] === (i & 255) && slice[1] === i >> 8 && slice[2] === (i & 255)),
    ).toBe(true)
  })

  it('has slices that can be copied out', () => {
    const slice = new Arena().copy(Uint8Array.of(1, 2, 3), 0, 3)
    expect(slice.buffer.byteLength).toBeGreaterThan(3)
    expect(own(slice)).toEqual(slice)
    expect(own(slice).buffer.byteLength).toBe(3)
  })
})
