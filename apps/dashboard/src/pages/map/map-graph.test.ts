import { expect, test } from 'vitest'
import { readMapChoice } from './map-choice.ts'
import { mapGraph } from './map-graph.ts'

const node = (id: string, kind: 'service' | 'address' = 'service') => ({
  id,
  name: id.split('/').at(-1) ?? id,
  ...(kind === 'service' && { ns: 'shop' }),
  kind,
  calls_in: 0,
  errors_in: 0,
  calls_out: 0,
  errors_out: 0,
})
const edge = (src: string, dst: string, more: object = {}) => ({
  src,
  dst,
  calls: 10,
  rate: 1,
  errors: 0,
  error_rate: 0,
  unanswered: 0,
  bytes: 5,
  request_bytes: 3,
  response_bytes: 2,
  protocols: { http: 10 },
  kfl: `src == "${src}"`,
  ...more,
})
const topology = {
  nodes: [
    node('shop/web'),
    node('shop/cart'),
    node('shop/dns'),
    node('1.1.1.1', 'address'),
    node('2.2.2.2', 'address'),
  ],
  edges: [
    edge('shop/web', 'shop/cart', { errors: 4, latency_p95_ms: 7 }),
    edge('shop/cart', 'shop/dns', { protocols: { dns: 10 } }),
    edge('1.1.1.1', 'shop/web', { latency_p95_ms: 3 }),
    edge('2.2.2.2', 'shop/web', { latency_p95_ms: 9 }),
    edge('1.1.1.1', '2.2.2.2'),
  ],
}
const names = (text: string) =>
  mapGraph(topology, readMapChoice(text))
    .nodes.map(({ name }) => name)
    .toSorted()
const edges = (text: string) =>
  mapGraph(topology, readMapChoice(text)).edges.map(({ src, dst }) => `${src} ${dst}`)

test('addresses without a name are one node, and their edges one edge', () => {
  const graph = mapGraph(topology, readMapChoice(''))
  expect(graph.nodes.map(({ name }) => name).toSorted()).toEqual(['Outside', 'cart', 'dns', 'web'])
  const folded = graph.edges.find(({ src }) => src === '(outside)')
  expect(folded).toMatchObject({ dst: 'shop/web', calls: 20, rate: 2, p95: 9 })
  expect(folded?.kfl).toBe('(src == "1.1.1.1") or (src == "2.2.2.2")')
  expect(graph.nodes.find(({ name }) => name === 'cart')).toMatchObject({ calls: 10, errors: 4 })
})

test('they are shown one by one on request', () => {
  expect(names('outside=1')).toEqual(['1.1.1.1', '2.2.2.2', 'cart', 'dns', 'web'])
})

test('the legend hides protocols, but still counts them', () => {
  expect(edges('hide=dns')).not.toContain('shop/cart shop/dns')
  expect(mapGraph(topology, readMapChoice('hide=dns')).protocols).toEqual([
    ['http', 30],
    ['dns', 10],
  ])
  expect(edges('onlyErrors=1')).toEqual(['shop/web shop/cart'])
})

test('focus leaves a node and its neighbours, also where it has none', () => {
  expect(names('focus=shop%2Fcart')).toEqual(['cart', 'dns', 'web'])
  expect(names('focus=shop%2Fdns&onlyErrors=1')).toEqual(['dns'])
})
