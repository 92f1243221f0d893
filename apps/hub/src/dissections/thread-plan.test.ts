import { expect, test } from 'vitest'
import { capturePlan } from './capture-plan.ts'
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

test('the smallest capture has its turn first', () => {
  expect(capturePlan([300 * MB, 1 * MB, 100 * MB], 4)).toEqual([
    { at: 1, threads: 0 },
    { at: 2, threads: 1 },
    { at: 0, threads: 3 },
  ])
})
