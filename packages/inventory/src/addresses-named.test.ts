import { expect, test } from 'vitest'
import { addressesNamed } from './addresses-named.ts'
import type { Inventory } from './inventory.ts'

const inventory: Inventory = {
  pods: [
    { name: 'web-1', namespace: 'shop', ips: ['10.0.0.1', 'FE80::1'], node: 'n1', until: 5 },
    { name: 'web-1', namespace: 'shop', ips: ['10.0.0.2'], from: 5 },
    { name: 'db-0', namespace: 'data', ips: ['10.0.0.3'], node: 'n1' },
  ],
  services: [
    { name: 'web', namespace: 'shop', ips: ['10.96.0.1'], endpoints: [{ ip: '10.0.0.1' }] },
    { name: 'db', namespace: 'data' },
    { name: 'entry', namespace: 'edge', nodePorts: [30_080] },
  ],
  nodes: [{ name: 'n1', ips: ['192.0.2.1'], deviceIps: ['10.0.0.254'] }],
}

test.each([
  ['pod', 'web-1', ['10.0.0.1', 'fe80::1', '10.0.0.2']],
  ['svc', 'web', ['10.96.0.1', '10.0.0.1']],
  ['ns', 'shop', ['10.0.0.1', 'fe80::1', '10.0.0.2', '10.96.0.1']],
  ['node', 'n1', ['10.0.0.1', 'fe80::1', '10.0.0.3', '192.0.2.1', '10.0.0.254']],
  ['svc', 'entry', ['192.0.2.1', '10.0.0.254']],
  ['pod', 'unknown', []],
] as const)('%s %s, at any time', (kind, name, expected) => {
  expect(addressesNamed(inventory, kind, (one) => one === name)).toEqual(expected)
})
