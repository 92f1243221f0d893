import { expect, test } from 'vitest'
import { createResolver } from './resolver.ts'

const pod = (name: string, ip: string, more = {}) => ({ name, namespace: 'shop', ips: [ip], ...more })

test('an address nobody is known to have had has no names', () => {
  const resolver = createResolver({ pods: [pod('cart-1', '10.0.0.1')], services: [] })
  expect(resolver.resolve('10.0.0.2', 80, 0)).toEqual({})
})

test('a pod gives its name, namespace, node and labels', () => {
  const resolver = createResolver({
    pods: [pod('cart-1', '10.0.0.1', { node: 'a', labels: { app: 'cart' } })],
    services: [],
  })
  expect(resolver.resolve('10.0.0.1', 80, 5)).toEqual({
    pod: 'cart-1',
    ns: 'shop',
    node: 'a',
    labels: { app: 'cart' },
  })
})

test('a reused address belongs to whoever had it at that time, and to nobody in between', () => {
  const resolver = createResolver({
    pods: [
      pod('new', '10.0.0.1', { from: 300 }),
      pod('old', '10.0.0.1', { until: 100 }),
      pod('middle', '10.0.0.1', { from: 150, until: 200 }),
    ],
    services: [],
  })
  const at = (time: number) => resolver.resolve('10.0.0.1', 80, time).pod
  expect([0, 99.9, 100, 149, 150, 199, 200, 299, 300, 1e13].map(at)).toEqual([
    'old',
    'old',
    undefined,
    undefined,
    'middle',
    'middle',
    undefined,
    undefined,
    'new',
    'new',
  ])
})

test('of overlapping holders the one who came last counts', () => {
  const resolver = createResolver({
    pods: [pod('first', '10.0.0.1', { from: 0 }), pod('second', '10.0.0.1', { from: 50 })],
    services: [],
  })
  expect(resolver.resolve('10.0.0.1', 1, 49).pod).toBe('first')
  expect(resolver.resolve('10.0.0.1', 1, 51).pod).toBe('second')
})

test('a service is known by its own address and by the ports of its endpoints', () => {
  const resolver = createResolver({
    pods: [pod('cart-1', '10.0.0.1')],
    services: [
      {
        name: 'cart',
        namespace: 'shop',
        ips: ['10.96.0.1'],
        endpoints: [{ ip: '10.0.0.1', ports: [8080] }],
      },
    ],
  })
  expect(resolver.resolve('10.96.0.1', 80, 0)).toEqual({ svc: 'cart', ns: 'shop' })
  expect(resolver.resolve('10.0.0.1', 8080, 0)).toEqual({ pod: 'cart-1', svc: 'cart', ns: 'shop' })
  expect(resolver.resolve('10.0.0.1', 40_000, 0)).toEqual({ pod: 'cart-1', ns: 'shop' })
})

test('a port that only one service names goes to it, other ports to the service without ports', () => {
  const endpoint = { ip: '10.0.0.1' }
  const resolver = createResolver({
    pods: [],
    services: [
      { name: 'all', namespace: 'shop', endpoints: [endpoint], from: 10 },
      { name: 'metrics', namespace: 'shop', endpoints: [{ ...endpoint, ports: [9090] }] },
    ],
  })
  expect(resolver.resolve('10.0.0.1', 9090, 20).svc).toBe('metrics')
  expect(resolver.resolve('10.0.0.1', 80, 20).svc).toBe('all')
  expect(resolver.resolve('10.0.0.1', 80, 5)).toEqual({})
})

test('ports of the service hold for endpoints that name none', () => {
  const resolver = createResolver({
    pods: [],
    services: [{ name: 'web', namespace: 'shop', ports: [80], endpoints: [{ ip: '10.0.0.1' }] }],
  })
  expect(resolver.resolve('10.0.0.1', 80, 0).svc).toBe('web')
  expect(resolver.resolve('10.0.0.1', 81, 0).svc).toBeUndefined()
})

test('the same question gives the same object, so that names can be compared by identity', () => {
  const resolver = createResolver({ pods: [pod('cart-1', '10.0.0.1')], services: [] })
  expect(resolver.resolve('10.0.0.1', 1, 0)).toBe(resolver.resolve('10.0.0.1', 2, 99))
})

test('who asks for one address and port again and again is told the same as who asks once', () => {
  const resolver = createResolver({
    pods: [pod('old', '10.0.0.1', { until: 100 }), pod('new', '10.0.0.1', { from: 150 })],
    services: [
      {
        name: 'cart',
        namespace: 'shop',
        from: 50,
        until: 160,
        endpoints: [{ ip: '10.0.0.1', ports: [80] }],
      },
    ],
  })
  const times = [0, 49, 50, 99, 100, 149, 150, 159, 160, 1e13]
  for (const [ip, port] of [
    ['10.0.0.1', 80],
    ['10.0.0.1', 81],
    ['10.0.0.1', 82],
    ['10.0.0.2', 80],
  ] as const) {
    const behind = resolver.behind(ip, port)
    for (const time of [...times, ...times.toReversed(), 120, 0, 1e13, 155])
      expect(behind.at(time)).toBe(resolver.resolve(ip, port, time))
  }
})
