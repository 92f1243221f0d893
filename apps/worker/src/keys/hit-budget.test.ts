import { expect, it } from 'vitest'
import { HitBudget } from './hit-budget.ts'

it('reports a process once when it exceeds its budget of a second', () => {
  const budget = new HitBudget(2)
  const taken = [1000, 1001, 1002, 1003].map((now) => budget.take(7, now))
  expect(taken).toEqual([true, true, false, true])
  expect(budget.take(8, 1004)).toBe(true)
  expect([2000, 2001, 2002].map((now) => budget.take(7, now))).toEqual([true, true, false])
})
