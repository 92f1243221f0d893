import { expect, test } from 'vitest'
import { listAddresses, listWorkloads } from './listing.ts'

const inventory = {
  pods: [
    { name: 'web-2', namespace: 'shop', ips: ['10.0.0.1'], from: 100 },
    { name: 'web-1', namespace: 'shop', ips: ['10.0.0.1'], from: 0, until: 100 },
    { name: 'db-0', namespace: 'data', ips: ['10.0.0.2'] },
  ],
  services: [{ name: 'web', namespace: 'shop', ips: ['10.96.0.1'], labels: { app: 'web' } }],
}

test('workloads are found by name, namespace, kind and time', () => {
  const names = (query: object) => listWorkloads(inventory, query).map(({ name }) => name)
  expect(names({})).toEqual(['db-0', 'web', 'web-1', 'web-2'])
  expect(names({ name: 'web', type: 'pod' })).toEqual(['web-1', 'web-2'])
  expect(names({ namespace: 'data' })).toEqual(['db-0'])
  expect(names({ type: 'pod', at: 50 })).toEqual(['db-0', 'web-1'])
})

test('an address lists its holders, newest first, and only the one of the asked time', () => {
  expect(listAddresses(inventory, { ip: '10.0.0.1' })).toEqual([
    {
      ip: '10.0.0.1',
      records: [
        { name: 'web-2', namespace: 'shop', kind: 'pod', timestamp: 100, until: null },
        { name: 'web-1', namespace: 'shop', kind: 'pod', timestamp: 0, until: 100 },
      ],
    },
  ])
  expect(listAddresses(inventory, { ip: '10.0.0.1', at: 99 })[0]?.records.map(({ name }) => name)).toEqual([
    'web-1',
  ])
  expect(listAddresses(inventory).map(({ ip }) => ip)).toEqual(['10.0.0.1', '10.0.0.2', '10.96.0.1'])
})
