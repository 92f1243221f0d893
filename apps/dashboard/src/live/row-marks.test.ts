import { expect, test } from 'vitest'
import { RowMarks } from './row-marks.ts'

test('the nearest mark on either side of a row', () => {
  const marks = new RowMarks<{ readonly row: number }>(10)
  for (const row of [30, 10, 20]) marks.add({ row })
  expect([marks.before(9), marks.before(10), marks.before(29)]).toEqual([undefined, { row: 10 }, { row: 20 }])
  expect([marks.after(9), marks.after(10), marks.after(30)]).toEqual([{ row: 10 }, { row: 20 }, undefined])
})

test('above the capacity every second one is forgotten, never the first or the last', () => {
  const marks = new RowMarks<{ readonly row: number }>(8)
  for (let row = 0; row < 100; row++) marks.add({ row })
  expect(marks.length).toBeLessThanOrEqual(8)
  expect([marks.before(0), marks.before(1000)]).toEqual([{ row: 0 }, { row: 99 }])
})
