import { expect, test } from 'vitest'
import { ThreadBudget } from './thread-budget.ts'
import { threadPlan } from './thread-plan.ts'

const MB = 1_000_000

test('threads are divided by the size of the captures; small ones get none', () => {
  expect(threadPlan([100 * MB], 4)).toEqual([4])
  expect(threadPlan([10 * MB], 4)).toEqual([0])
  expect(threadPlan([10 * MB, 10 * MB], 4)).toEqual([2, 2])
  expect(threadPlan([1 * MB, 300 * MB, 100 * MB], 4)).toEqual([0, 3, 1])
  expect(threadPlan(Array(200).fill(50 * MB), 8)).toEqual(Array(200).fill(1))
  expect(threadPlan([100 * MB, 100 * MB], 1)).toEqual([0, 0])
  expect(threadPlan([0, 0], 8)).toEqual([0, 0])
  expect(threadPlan([], 8)).toEqual([])
})

test('never more threads than allowed, and one slow capture does not hold a large one', async () => {
  const budget = new ThreadBudget(4)
  let used = 0
  let most = 0
  const done: number[] = []
  let release = () => {}
  const slow = budget.use(1, () => new Promise((resolve) => (release = resolve)))
  const others = [4, 1, 2, 3, 4].map((wanted, at) =>
    budget.use(wanted, async (threads) => {
      used += threads
      most = Math.max(most, used)
      await Promise.resolve()
      used -= threads
      done.push(at)
    }),
  )
  await Promise.all(others)
  expect(done.toSorted()).toEqual([0, 1, 2, 3, 4])
  expect(most).toBe(3)
  release()
  await slow
})
