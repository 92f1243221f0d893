import { expect, test } from 'vitest'
import type { Inventory } from './inventory.ts'
import { entriesOf, inventoryOf } from './name-entry.ts'
import { NameIndex } from './name-index.ts'
import { applyDelta, namesDelta, parseNamesDelta } from './names-delta.ts'

const pod = (name: string, ip: string, more = {}) => ({
  name,
  namespace: 'shop',
  ips: [ip],
  uid: name,
  ...more,
})
const before: Inventory = {
  pods: [pod('a', '10.0.0.1', { from: 0 }), pod('b', '10.0.0.2', { from: 0 })],
  services: [{ name: 's', namespace: 'shop', ips: ['10.96.0.1'], nodePorts: [30_000] }],
  nodes: [{ name: 'n1', ips: ['192.0.2.1'] }],
}
const after: Inventory = {
  pods: [pod('a', '10.0.0.1', { from: 0, until: 50 }), pod('c', '10.0.0.1', { from: 60 })],
  services: [{ name: 's', namespace: 'shop', ips: ['10.96.0.1'], nodePorts: [30_001] }],
  nodes: [
    { name: 'n1', ips: ['192.0.2.1'] },
    { name: 'n2', ips: ['192.0.2.2'] },
  ],
}

test('a delta holds only what changed, and leads from one state to the other', () => {
  const delta = namesDelta(entriesOf(before), entriesOf(after))
  expect(delta.put.map(([key]) => key)).toEqual([
    'pod/shop/a/a/10.0.0.1',
    'pod/shop/c/c/10.0.0.1',
    'service/shop/s/',
    'node/n2/',
  ])
  expect(delta.drop).toEqual(['pod/shop/b/b/10.0.0.2'])
  const entries = entriesOf(before)
  applyDelta(entries, parseNamesDelta(JSON.parse(JSON.stringify(delta))))
  const sorted = ({ pods, ...rest }: Inventory) => ({
    ...rest,
    pods: [...pods].sort((x, y) => (x.name < y.name ? -1 : 1)),
  })
  expect(sorted(inventoryOf(entries.values()))).toEqual(sorted(after))
})

test('an index that was changed answers like one that was made new', () => {
  const changed = new NameIndex(before)
  const questions = ['10.0.0.1', '10.0.0.2', '10.96.0.1', '192.0.2.1', '192.0.2.2'].flatMap((ip) =>
    [80, 30_000, 30_001].flatMap((port) => [0, 55, 70].map((time) => [ip, port, time] as const)),
  )
  // Answers that were given before must not be given again.
  for (const [ip, port, time] of questions) changed.resolve(ip, port, time)
  changed.apply(namesDelta(entriesOf(before), entriesOf(after)))
  const fresh = new NameIndex(after)
  for (const [ip, port, time] of questions)
    expect(changed.resolve(ip, port, time), `${ip}:${port} at ${time}`).toEqual(fresh.resolve(ip, port, time))
  changed.apply({ reset: true, put: [], drop: [] })
  expect([changed.size, changed.resolve('10.0.0.1', 80, 70)]).toEqual([0, {}])
})

test.each([
  [{}],
  [{ put: [['k', { kind: 'pod', pod: { name: 'a' } }]], drop: [] }],
  [{ put: [[1, {}]], drop: [] }],
])('%j is refused', (value) => expect(() => parseNamesDelta(value)).toThrow(/expected/))
