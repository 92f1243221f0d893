import { expect, test } from 'vitest'
import { LabelPlaces } from './label-places.ts'

const edge = (y: number) => ({ from: { x: 0, y }, to: { x: 400, y }, bend: { x: 200, y } })

test('a label is in the middle of its edge, and beside what is there already', () => {
  const places = new LabelPlaces([])
  expect(places.place(edge(0), 60, 15)).toMatchObject({ x: 200, y: 0 })
  expect(places.place(edge(5), 60, 15).x).toBe(120)
  expect(places.place(edge(40), 60, 15).x).toBe(200)
})

test('a label does not cover a node', () => {
  expect(new LabelPlaces([{ x: 200, y: 0, width: 104, height: 34 }]).place(edge(0), 60, 15).x).toBe(88)
})

test('where all places are taken, it is in the middle', () => {
  expect(new LabelPlaces([{ x: 200, y: 0, width: 500, height: 34 }]).place(edge(0), 60, 15).x).toBe(200)
})
