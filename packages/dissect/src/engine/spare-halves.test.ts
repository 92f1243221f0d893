import { describe, expect, it } from 'vitest'
import { Budget } from '../budget.ts'
import type { HalfStream } from './half-stream.ts'
import { type HalfOwner, SpareHalves } from './spare-halves.ts'

const MANY = 4000
const budget = new Budget(1_000_000, {})

/** One that remembers what it has. */
class Owner implements HalfOwner {
  half: HalfStream | undefined

  leave(half: HalfStream): void {
    expect(half).toBe(this.half)
    this.half = undefined
  }
}

function take(halves: SpareHalves): Owner {
  const owner = new Owner()
  owner.half = halves.take(owner)
  return owner
}

describe('half streams of connections', () => {
  it('go from those that are at rest to others, the longest first', () => {
    const halves = new SpareHalves()
    const owners = Array.from({ length: MANY }, () => take(halves))
    const left = owners.filter(({ half }) => half !== undefined)
    expect(new Set(left.map(({ half }) => half)).size).toBe(left.length)
    expect(left.length).toBeLessThan(MANY / 2)
    expect(left).toEqual(owners.slice(-left.length))
  })

  it('stay with those that need them, with all that they know', () => {
    const halves = new SpareHalves()
    const needs: readonly ((half: HalfStream) => void)[] = [
      (half) => half.append(new Uint8Array([1, 2, 3]), 0, 3, 100, budget),
      (half) => half.begin(100, 100, 1),
      (half) => (half.messageStart = 1),
      (half) => (half.footing = 'adrift'),
      (half) => (half.finished = true),
      (half) => (half.troubled.gapTime = 1),
      (half) => half.doubted.attempts++,
    ]
    const busy = needs.map((need) => {
      const owner = take(halves)
      if (owner.half !== undefined) need(owner.half)
      return owner
    })
    const before = busy.map(({ half }) => half)
    for (let i = 0; i < MANY; i++) take(halves)
    expect(busy.map(({ half }) => half)).toEqual(before)
    expect(busy[0].half?.held).toBe(3)
  })
})
