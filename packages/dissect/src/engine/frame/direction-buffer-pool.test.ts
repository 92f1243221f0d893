import { describe, expect, it } from 'vitest'
import { Budget } from '../../memory/budget.ts'
import type { BufferOwner, DirectionBuffer } from './direction-buffer.ts'
import { DirectionBufferPool } from './direction-buffer-pool.ts'

const FLOWS = 4000
const budget = new Budget(1_000_000, {})

/** Remembers the buffer it was given. */
class Owner implements BufferOwner {
  buffer: DirectionBuffer | undefined

  leave(buffer: DirectionBuffer): void {
    expect(buffer).toBe(this.buffer)
    this.buffer = undefined
  }
}

function take(pool: DirectionBufferPool): Owner {
  const owner = new Owner()
  owner.buffer = pool.take(owner)
  return owner
}

describe('direction buffers', () => {
  it('are taken from idle owners, the oldest first', () => {
    const pool = new DirectionBufferPool()
    const owners = Array.from({ length: FLOWS }, () => take(pool))
    const left = owners.filter(({ buffer }) => buffer !== undefined)
    expect(new Set(left.map(({ buffer }) => buffer)).size).toBe(left.length)
    expect(left.length).toBeLessThan(FLOWS / 2)
    expect(left).toEqual(owners.slice(-left.length))
  })

  it('stay with owners that have state in them', () => {
    const pool = new DirectionBufferPool()
    const needs: readonly ((buffer: DirectionBuffer) => void)[] = [
      (buffer) => buffer.append(new Uint8Array([1, 2, 3]), 0, 3, 100, budget),
      (buffer) => buffer.begin(100, 100, 1),
      (buffer) => (buffer.messageStart = 1),
      (buffer) => (buffer.sync = 'searching'),
      (buffer) => (buffer.finished = true),
      (buffer) => (buffer.ensureGapState().gapTime = 1),
      (buffer) => buffer.ensureDetection().attempts++,
    ]
    const busy = needs.map((need) => {
      const owner = take(pool)
      if (owner.buffer !== undefined) need(owner.buffer)
      return owner
    })
    const before = busy.map(({ buffer }) => buffer)
    for (let i = 0; i < FLOWS; i++) take(pool)
    expect(busy.map(({ buffer }) => buffer)).toEqual(before)
    expect(busy[0].buffer?.held).toBe(3)
  })
})
