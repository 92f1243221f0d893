import { expect, test } from 'vitest'
import { alongEdge, distanceToEdge, edgePath, isInNode, nodeWidth } from './map-geometry.ts'

test('an edge begins and ends at the border of its boxes, and its way back is another curve', () => {
  const [a, b] = [
    { x: 0, y: 0 },
    { x: 300, y: 0 },
  ]
  const there = edgePath(a, 80, b, 100)
  expect(there.from.x).toBeGreaterThan(0)
  expect(there.from.x).toBeLessThanOrEqual(40)
  expect(there.to.x).toBeGreaterThanOrEqual(250)
  const back = edgePath(b, 100, a, 80)
  expect(Math.sign(back.bend.y)).toBe(-Math.sign(there.bend.y))
})

test('a point on the curve is on it, and one beside it is not', () => {
  const path = edgePath({ x: 0, y: 0 }, 80, { x: 300, y: 50 }, 80)
  expect(distanceToEdge(path, alongEdge(path, 0.4))).toBeLessThan(2)
  expect(distanceToEdge(path, { x: 150, y: -200 })).toBeGreaterThan(100)
})

test('a box is as wide as its name, within limits', () => {
  expect(nodeWidth('a')).toBe(104)
  expect(nodeWidth('x'.repeat(200))).toBe(190)
  expect(isInNode({ x: 10, y: 10 }, 80, { x: 45, y: 20 })).toBe(true)
  expect(isInNode({ x: 10, y: 10 }, 80, { x: 55, y: 20 })).toBe(false)
})
