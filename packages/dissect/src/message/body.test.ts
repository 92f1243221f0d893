import { describe, expect, it } from 'vitest'
import type { Connection } from '../contract/dissector.ts'
import { defaultLimits } from '../contract/limits.ts'
import { Budget } from '../memory/budget.ts'
import { Body } from './body.ts'

const bytes = (text: string) => new TextEncoder().encode(text)

function body(limit: number, budget = new Budget(100_000, {})): Body {
  const connection = { limits: { ...defaultLimits, body: limit }, budget } as Pick<
    Connection,
    'limits' | 'budget'
  >
  return new Body(connection as Connection)
}

describe('a body in pieces', () => {
  it('is joined', () => {
    const one = body(100)
    one.append(bytes('xabx'), 1, 3)
    one.append(bytes('cd'), 0, 2)
    expect([one.size, one.truncated, one.take()]).toEqual([4, false, bytes('abcd')])
    expect(one.take()).toBeUndefined()
  })

  it('is kept up to the limit and counted beyond', () => {
    const one = body(3)
    one.append(bytes('abcd'), 0, 4)
    one.append(bytes('ef'), 0, 2)
    expect([one.size, one.truncated, one.take()]).toEqual([6, true, bytes('abc')])
  })

  it('keeps nothing after a hole', () => {
    const one = body(100)
    one.append(bytes('ab'), 0, 2, 5)
    one.append(bytes('cd'), 0, 2)
    expect([one.size, one.truncated, one.take()]).toEqual([7, true, bytes('ab')])
  })

  it('releases its memory', () => {
    const budget = new Budget(100_000, {})
    const one = body(50_000, budget)
    one.append(new Uint8Array(3000), 0, 3000)
    expect(budget.used).toBeGreaterThanOrEqual(3000)
    one.take()
    expect(budget.used).toBe(0)
  })

  it('drops what the budget refuses', () => {
    const one = body(50_000, new Budget(1000, {}))
    one.append(new Uint8Array(500), 0, 500)
    one.append(new Uint8Array(5000), 0, 5000)
    expect([one.size, one.take()?.length]).toEqual([5500, 500])
  })
})
