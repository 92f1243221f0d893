import { expect, it } from 'vitest'
import { editDistance } from './edit-distance.ts'

it.each([
  ['', '', 0],
  ['', 'port', 4],
  ['port', 'port', 0],
  ['prot', 'port', 1],
  ['pot', 'port', 1],
  ['ports', 'port', 1],
  ['part', 'port', 1],
  ['status', 'latency', 6],
])('from %j to %j it is %i mistakes, both ways', (a, b, distance) => {
  expect(editDistance(a, b)).toBe(distance)
  expect(editDistance(b, a)).toBe(distance)
})
