import { expect, test } from 'vitest'
import { CostlyValue } from './costly-value.ts'

let now = 0
let reads = 0
const read = (took: number) => async () => {
  now += took
  return ++reads
}

test('a value is used for twenty times as long as it took to read', async () => {
  const value = new CostlyValue<number>(() => now)
  expect(await value.get(read(10))).toBe(1)
  now += 199
  expect(await value.get(read(10))).toBe(1)
  now += 1
  expect(await value.get(read(10))).toBe(2)
})

test('callers at the same time share one read, and a read that failed is not kept', async () => {
  const value = new CostlyValue<number>(() => now)
  let fails = 0
  const failing = async () => {
    fails++
    throw new Error('away')
  }
  const both = await Promise.allSettled([value.get(failing), value.get(failing)])
  expect(both.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(fails).toBe(1)
  expect(await value.get(async () => 7)).toBe(7)
})
