import { describe, expect, it } from 'vitest'
import { Budget } from '../memory/budget.ts'
import { StatementCache } from './statement-cache.ts'
import { aConnection } from './testing-connection.ts'

const text = (length: number) => ({ text: new Uint8Array(length) })

describe('prepared statements', () => {
  it('are found by key until they are closed', () => {
    const budget = new Budget(1000, {})
    const cache = new StatementCache<string, { text: Uint8Array }>(aConnection({ budget }))
    const statement = text(10)
    cache.set('a', statement)
    expect(cache.get('a')).toBe(statement)
    expect(budget.used).toBe(10)
    cache.set('a', text(30))
    expect(budget.used).toBe(30)
    cache.delete('a')
    expect(cache.get('a')).toBeUndefined()
    expect(budget.used).toBe(0)
  })

  it('are evicted oldest first', () => {
    const budget = new Budget(1_000_000, {})
    const cache = new StatementCache<number, { text: Uint8Array }>(aConnection({ budget, frame: 100 }))
    for (let i = 0; i < 6; i++) cache.set(i, text(100))
    expect([0, 1, 2, 3, 4, 5].map((key) => cache.get(key) !== undefined)).toEqual([
      false,
      false,
      true,
      true,
      true,
      true,
    ])
    expect(budget.used).toBe(400)
    for (let i = 0; i < 5000; i++) cache.set(i, text(0))
    expect(cache.get(0)).toBeUndefined()
    expect(cache.get(4999)).toBeDefined()
    cache.clear()
    expect(budget.used).toBe(0)
  })

  it('are not kept beyond the budget', () => {
    const loss = {}
    const budget = new Budget(50, loss)
    const cache = new StatementCache<string, { text: Uint8Array }>(aConnection({ budget }))
    cache.set('a', text(40))
    cache.set('b', text(20))
    expect(cache.get('a')).toBeDefined()
    expect(cache.get('b')).toBeUndefined()
    cache.set('a', text(60))
    expect(cache.get('a')).toBeUndefined()
    expect(budget.used).toBe(0)
    expect(loss).toEqual({ buffer_overflow: 40 })
  })
})
