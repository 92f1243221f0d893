import { expect, test } from 'vitest'
import { MapView } from './map-view.ts'

const bounds = { min: { x: -500, y: -300 }, max: { x: 500, y: 300 } }

test('the whole map fits, in the middle', () => {
  const view = new MapView()
  view.fit(bounds, 620, 400)
  expect(view.scale).toBe(0.5)
  expect(view.toMap({ x: 310, y: 200 })).toEqual({ x: 0, y: 0 })
})

test('a map that the user moved stays where it is until it is released', () => {
  const view = new MapView()
  view.pan(10, 0)
  view.fit(bounds, 620, 400)
  expect(view.scale).toBe(1)
  view.release()
  view.fit(bounds, 620, 400)
  expect(view.scale).toBe(0.5)
})

test('zooming keeps the place under the pointer, within limits', () => {
  const view = new MapView()
  const before = view.toMap({ x: 100, y: 50 })
  view.zoomAt({ x: 100, y: 50 }, 2)
  expect(view.toMap({ x: 100, y: 50 })).toEqual(before)
  for (let i = 0; i < 50; i++) view.zoomAt({ x: 0, y: 0 }, 2)
  expect(view.scale).toBe(3)
})
