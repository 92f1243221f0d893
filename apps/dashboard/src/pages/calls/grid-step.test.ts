import { expect, test } from 'vitest'
import { stepOf } from './grid-step.ts'

test('keys move by a row, by a page, or to an end', () => {
  expect(
    ['j', 'ArrowDown', 'k', 'PageDown', 'PageUp', 'g', 'End'].map((key) => stepOf(key, 50, 100, 20)),
  ).toEqual([51, 51, 49, 70, 30, 0, 99])
})

test('without a row in hand the first key takes the first row', () => {
  expect(['j', 'k', 'ArrowUp'].map((key) => stepOf(key, -1, 100, 20))).toEqual([0, 0, 0])
})

test('the cursor stays within the list', () => {
  expect(stepOf('j', 99, 100, 20)).toBe(99)
  expect(stepOf('PageUp', 3, 100, 20)).toBe(0)
  expect(stepOf('j', -1, 0, 20)).toBeUndefined()
})

test('other keys are left to others', () => {
  expect(stepOf('x', 1, 100, 20)).toBeUndefined()
  expect(stepOf('Tab', 1, 100, 20)).toBeUndefined()
})
