import { expect, test } from 'vitest'
import { layersOf } from './map-layers.ts'
import { MapLayout } from './map-layout.ts'

const nodes = (...ids: string[]) => ids.map((id) => ({ id, ns: 'shop' }))
const edges = (...pairs: string[]) =>
  pairs.map((pair) => {
    const [src = '', dst = ''] = pair.split('>')
    return { src, dst }
  })

function settle(layout: MapLayout): void {
  let time = 0
  while (layout.arrange(5, () => time++)) {
    // Until it rests.
  }
}

test('callers are left of what they call, and circles have a place as well', () => {
  expect([...layersOf(['a', 'b', 'c'], edges('a>b', 'b>c', 'a>c'))]).toEqual([
    ['a', 0],
    ['b', 1],
    ['c', 1],
  ])
  const circle = layersOf(['a', 'b', 'c'], edges('a>b', 'b>a', 'a>c'))
  expect(circle.get('a')).toBe(0)
  expect(circle.get('b')).toBe(1)
  expect(layersOf(['a'], edges('a>a')).get('a')).toBe(0)
})

test('the same graph gives the same map', () => {
  const places = [1, 2].map(() => {
    const layout = new MapLayout()
    layout.update(nodes('a', 'b', 'c'), edges('a>b', 'a>c'), false)
    settle(layout)
    return ['a', 'b', 'c'].map((id) => layout.at(id))
  })
  expect(places[0]).toEqual(places[1])
})

test('figures do not move it, and a new node moves no other', () => {
  const layout = new MapLayout()
  expect(layout.update(nodes('a', 'b'), edges('a>b'), false)).toBe(true)
  settle(layout)
  const before = [layout.at('a'), layout.at('b')]
  expect(layout.update(nodes('b', 'a'), edges('a>b'), false)).toBe(false)
  expect(layout.update(nodes('a', 'b', 'c'), edges('a>b', 'a>c'), false)).toBe(true)
  settle(layout)
  expect([layout.at('a'), layout.at('b')]).toEqual(before)
  expect(layout.at('c')).toBeDefined()
  layout.update(nodes('a'), [], false)
  expect(layout.at('c')).toBeUndefined()
})

test('no two nodes cover each other', () => {
  const ids = Array.from({ length: 60 }, (_, i) => `n${i}`)
  const layout = new MapLayout()
  layout.update(
    nodes(...ids),
    ids.slice(1).map((dst) => ({ src: 'n0', dst })),
    false,
  )
  settle(layout)
  const places = ids.map((id) => layout.at(id)!)
  for (const [i, a] of places.entries())
    for (const b of places.slice(i + 1)) expect(Math.hypot(a.x - b.x, a.y - b.y)).toBeGreaterThan(40)
})

test('what is drawn can be kept until the revision moves', () => {
  const layout = new MapLayout()
  layout.update(nodes('a', 'b'), edges('a>b'), false)
  settle(layout)
  const rested = layout.revision
  settle(layout)
  layout.update(nodes('b', 'a'), edges('a>b'), false)
  expect(layout.revision).toBe(rested)
  layout.move('a', { x: 1, y: 2 })
  expect(layout.revision).toBeGreaterThan(rested)
})
