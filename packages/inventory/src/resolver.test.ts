import { expect, test } from 'vitest'
import { entriesOf } from './name-entry.ts'
import { NameIndex } from './name-index.ts'
import { createResolver } from './resolver.ts'

const pod = (name: string, ip: string, more = {}) => ({ name, namespace: 'shop', ips: [ip], ...more })

test('an unknown address has no names', () => {
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

test('a reused address has the names of its owner at that time, and none in between', () => {
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
})

test('a pod that connects from any other port is named with the service that selects it', () => {
  const endpoints = [{ ip: '10.0.0.1', ports: [8080] }]
  const resolver = createResolver({
    pods: [pod('cart-1', '10.0.0.1'), pod('job-1', '10.0.0.2')],
    services: [
      { name: 'all-carts', namespace: 'shop', endpoints },
      { name: 'cart', namespace: 'shop', ips: ['10.96.0.1'], endpoints },
    ],
  })
  expect(resolver.resolve('10.0.0.1', 40_000, 0)).toEqual({ pod: 'cart-1', svc: 'cart', ns: 'shop' })
  expect(resolver.resolve('10.0.0.2', 40_000, 0)).toEqual({ pod: 'job-1', ns: 'shop' })
})

test('of services that lead to the same port of a pod, one with an address counts, then the first by name', () => {
  const select = (name: string, from: number, ips: string[] = []) => ({
    ...{ name, namespace: 'shop', ips, from },
    endpoints: [{ ip: '10.0.0.1', ports: [8080] }],
  })
  const services = [
    select('a-headless', 30),
    select('web-b', 20, ['10.96.0.2']),
    select('web-a', 10, ['10.96.0.1']),
  ]
  for (const listed of [services, [...services].reverse()]) {
    const resolver = createResolver({ pods: [pod('web-1', '10.0.0.1')], services: listed })
    const svc = (time: number) => resolver.resolve('10.0.0.1', 8080, time).svc
    expect([9, 15, 25, 35].map(svc)).toEqual([undefined, 'web-a', 'web-a', 'web-a'])
  }
})

test('endpoints of the pod that had the address before do not count for the new one while both hold it', () => {
  const resolver = createResolver({
    pods: [pod('old', '10.0.0.1', { until: 21 }), pod('new', '10.0.0.1', { from: 20 })],
    services: [
      { name: 'a', namespace: 'shop', endpoints: [{ ip: '10.0.0.1', ports: [80], from: 0, until: 21 }] },
      { name: 'b', namespace: 'shop', endpoints: [{ ip: '10.0.0.1', ports: [80], from: 20 }] },
    ],
  })
  const at = (time: number) => resolver.resolve('10.0.0.1', 80, time)
  expect(at(19)).toMatchObject({ pod: 'old', svc: 'a' })
  expect(at(20)).toMatchObject({ pod: 'new', svc: 'b' })
})

test('at the address of a node: a pod of the host network by its port, a node port by its service, else the node', () => {
  const resolver = createResolver({
    pods: [
      pod('proxy-x', '192.0.2.1', { ports: [10_256], node: 'n1' }),
      pod('other-y', '192.0.2.1', { ports: [9100], node: 'n1', until: 50 }),
    ],
    services: [{ name: 'web', namespace: 'shop', ips: ['10.96.0.1'], nodePorts: [30_080] }],
    nodes: [
      { name: 'n1', ips: ['192.0.2.1', '2001:db8::1'] },
      { name: 'n2', ips: ['192.0.2.2'], from: 100 },
    ],
  })
  const at = (ip: string, port: number, time = 10) => resolver.resolve(ip, port, time)
  expect(at('192.0.2.1', 10_256)).toEqual({ pod: 'proxy-x', ns: 'shop', node: 'n1' })
  expect(at('192.0.2.1', 9100)).toEqual({ pod: 'other-y', ns: 'shop', node: 'n1' })
  expect(at('192.0.2.1', 9100, 60)).toEqual({ node: 'n1' })
  expect(at('192.0.2.1', 30_080)).toEqual({ svc: 'web', ns: 'shop', node: 'n1' })
  expect(at('2001:db8::1', 30_080)).toEqual({ svc: 'web', ns: 'shop', node: 'n1' })
  expect(at('192.0.2.1', 50_000)).toEqual({ node: 'n1' })
  expect(at('192.0.2.2', 30_080, 99)).toEqual({ svc: 'web', ns: 'shop' })
})

test('an endpoint holds for its own time, and names the workload of its pod', () => {
  const resolver = createResolver({
    pods: [
      pod('web-1', '10.0.0.1', {
        owners: [
          { kind: 'ReplicaSet', name: 'web-abc' },
          { kind: 'Deployment', name: 'web' },
        ],
      }),
    ],
    services: [
      { name: 'web', namespace: 'shop', endpoints: [{ ip: '10.0.0.1', ports: [80], from: 10, until: 20 }] },
    ],
  })
  const svc = (time: number) => resolver.resolve('10.0.0.1', 80, time).svc
  expect([9, 10, 19, 20].map(svc)).toEqual([undefined, 'web', 'web', undefined])
  expect(resolver.resolve('10.0.0.1', 80, 5)).toEqual({
    pod: 'web-1',
    ns: 'shop',
    workload: 'web',
    workload_kind: 'Deployment',
  })
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

test('repeated lookups of one address and port give the same as a single one', () => {
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

test('an IPv4-mapped IPv6 address has the names of the IPv4 address', () => {
  const resolver = createResolver({ pods: [pod('cart-1', '10.0.0.1')], services: [] })
  expect(resolver.resolve('::ffff:10.0.0.1', 80, 0)).toBe(resolver.resolve('10.0.0.1', 80, 0))
  expect(resolver.behind('::ffff:10.0.0.1', 80).at(0)).toMatchObject({ pod: 'cart-1' })
  expect(resolver.resolve('::ffff:10.0.0.2', 80, 0)).toEqual({})
})

test('an address in the blocks of a node is on that node while no pod is known there', () => {
  const names = new NameIndex({
    pods: [pod('cart-1', '10.244.1.9', { node: 'n1', from: 100, until: 200 })],
    services: [{ name: 'web', namespace: 'shop', nodePorts: [30_080] }],
    nodes: [
      { name: 'n1', ips: ['192.0.2.1'], podCIDRs: ['10.244.1.0/24', 'fd00:1::/64'] },
      { name: 'n2', ips: ['192.0.2.2'], podCIDRs: ['10.244.2.128/25'], from: 50 },
    ],
  })
  const at = (ip: string, port = 50_000, time = 60) => names.resolve(ip, port, time)
  const over = (ip: string, port = 50_000, time = 60) => names.behind(ip, port).at(time)
  for (const named of [at, over]) {
    expect(named('10.244.1.77')).toEqual({ node: 'n1' })
    expect(named('::ffff:10.244.1.77')).toEqual({ node: 'n1' })
    expect(named('fd00:1::5')).toEqual({ node: 'n1' })
    expect(named('fd00:2::5')).toEqual({})
    expect(named('10.244.2.200')).toEqual({ node: 'n2' })
    expect(named('10.244.2.200', 80, 40)).toEqual({})
    expect(named('10.244.2.1')).toEqual({})
    expect([60, 150, 250].map((time) => named('10.244.1.9', 80, time).node)).toEqual(['n1', 'n1', 'n1'])
    expect(named('10.244.1.9', 80, 150).pod).toBe('cart-1')
    // The tunnel device and the bridge are the node's own: its node ports are there, too.
    for (const own of ['10.244.1.0', '10.244.1.1', 'fd00:1::', 'fd00:1::1', '10.244.2.128', '10.244.2.129'])
      expect(named(own, 30_080)).toMatchObject({ svc: 'web' })
    expect(named('10.244.1.2', 30_080)).toEqual({ node: 'n1' })
  }
  expect(at('10.244.1.77')).toBe(at('10.244.1.78'))
})

test('addresses of the devices of a node have its name and its node ports', () => {
  const service = { name: 'web', namespace: 'shop', nodePorts: [30_080] }
  const node = { name: 'n1', ips: ['192.0.2.1'], deviceIps: ['10.244.1.0', 'FD00:1::'] }
  const names = new NameIndex({ pods: [], services: [service], nodes: [node] })
  for (const ip of ['10.244.1.0', 'fd00:1::']) {
    expect(names.resolve(ip, 50_000, 5)).toEqual({ node: 'n1' })
    expect(names.behind(ip, 30_080).at(5)).toMatchObject({ node: 'n1', svc: 'web' })
    expect(names.awaitsPod(ip, 5)).toBe(false)
  }
  names.apply({ put: [], drop: ['node/n1/'] })
  expect(names.resolve('10.244.1.0', 50_000, 5)).toEqual({})
})

test('the blocks of a node come and go with it', () => {
  const names = new NameIndex()
  const node = { name: 'n1', ips: ['192.0.2.1'], podCIDRs: ['10.244.1.0/24'] }
  const entry = { pods: [pod('cart-1', '10.244.1.9', { from: 100 })], services: [], nodes: [node] }
  const at = (ip: string) => [names.resolve(ip, 80, 50).node, names.behind(ip, 80).at(50).node]
  expect(at('10.244.1.9')).toEqual([undefined, undefined])
  names.apply({ put: [...entriesOf(entry)], drop: [] })
  for (const ip of ['10.244.1.9', '10.244.1.10']) expect(at(ip)).toEqual(['n1', 'n1'])
  expect(names.hasRanges).toBe(true)
  names.apply({ put: [], drop: ['node/n1/'] })
  for (const ip of ['10.244.1.9', '10.244.1.10', '10.244.1.0']) expect(at(ip)).toEqual([undefined, undefined])
  expect(names.hasRanges).toBe(false)
})

test('an address keeps the node of its last pod for a while', () => {
  const resolver = createResolver({
    pods: [
      pod('old', '10.0.0.1', { node: 'n1', until: 100 }),
      pod('older', '10.0.0.1', { node: 'n2', until: 90 }),
    ],
    services: [],
  })
  const at = (time: number) => resolver.resolve('10.0.0.1', 80, time)
  expect(at(101)).toEqual({ node: 'n1' })
  expect(at(600_099)).toEqual({ node: 'n1' })
  expect(at(600_100)).toEqual({})
})

test('a pod is awaited at an address of a block, and where one was a short time ago', () => {
  const resolver = createResolver({
    pods: [pod('old', '10.0.0.1', { until: 100 })],
    services: [],
    nodes: [{ name: 'n1', ips: ['192.0.2.1'], podCIDRs: ['10.244.1.0/24'] }],
  })
  const awaited = ['10.244.1.9', '10.0.0.1'].map((ip) => resolver.awaitsPod(ip, 200))
  expect(awaited).toEqual([true, true])
  const others = ['10.244.1.0', '10.244.1.1', '192.0.2.1', '8.8.8.8'].map((ip) => resolver.awaitsPod(ip, 200))
  expect(others).toEqual([false, false, false, false])
  expect(resolver.awaitsPod('10.0.0.1', 700_000)).toBe(false)
})
