import { expect, test } from 'vitest'
import { FlowCounterTable } from './flow-counter-table.ts'

test('rows of several pages do not overlap', () => {
  const rows = new FlowCounterTable(5, 3)
  const taken = Array.from({ length: 3000 }, () => rows.take())
  for (const row of taken)
    for (let at = 0; at < 13; at++) rows.doubles(row)[rows.at(row) + at] = row * 13 + at
  for (const row of taken)
    for (let at = 0; at < 13; at++) expect(rows.doubles(row)[rows.at(row) + at]).toBe(row * 13 + at)
})

test('integers and doubles of a row are the same memory', () => {
  const rows = new FlowCounterTable()
  for (let i = 0; i < 1500; i++) rows.take()
  const row = rows.take()
  rows.ints(row)[rows.at(row) * 2] = -1
  rows.ints(row)[rows.at(row) * 2 + 1] = -1
  expect(rows.doubles(row)[rows.at(row)]).toBeNaN()
})

test('a reused row begins with zeros', () => {
  const rows = new FlowCounterTable()
  const row = rows.take()
  rows.doubles(row).fill(7)
  rows.keep(row)
  expect(rows.take()).toBe(row)
  const at = rows.at(row)
  expect([...rows.doubles(row).subarray(at, at + 12)]).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7])
})

test('kept counters do not change when rows are reused', () => {
  const rows = new FlowCounterTable(6, 4)
  const kept = Array.from({ length: 200 }, (_, i) => {
    const row = rows.take()
    for (let at = 0; at < 16; at++) rows.doubles(row)[rows.at(row) + at] = i * 16 + at
    const page = rows.keep(row)
    return { page, at: rows.keptAt }
  })
  for (const [i, { page, at }] of kept.entries()) {
    const wanted = [0, 1, 2, 3, 6, 7, 8, 9, 12, 13, 14, 15].map((place) => i * 16 + place)
    expect([...page.doubles.subarray(at, at + 2 * page.end + 4)]).toEqual(wanted)
  }
})
