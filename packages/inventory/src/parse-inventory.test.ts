import { expect, test } from 'vitest'
import { parseInventory } from './parse-inventory.ts'

test('reads pods and services, with addresses in canonical spelling and times in milliseconds', () => {
  expect(
    parseInventory({
      source: 'file',
      pods: [
        { name: 'a', namespace: 'n', ips: ['2001:DB8::0:1'], from: '2026-01-01T00:00:00Z', until: null },
      ],
      services: [{ name: 's', namespace: 'n', endpoints: [{ ip: '10.0.0.1', ports: [80] }] }],
    }),
  ).toEqual({
    pods: [{ name: 'a', namespace: 'n', ips: ['2001:db8::1'], from: 1_767_225_600_000 }],
    services: [{ name: 's', namespace: 'n', endpoints: [{ ip: '10.0.0.1', ports: [80] }] }],
  })
})

test('an empty object is an empty inventory', () => {
  expect(parseInventory({})).toEqual({ pods: [], services: [] })
})

test.each([
  [[], 'expected an object with pods, services'],
  [{ pod: [] }, 'pod: unknown key; known are pods, services'],
  [{ pods: {} }, 'pods: expected a list'],
  [{ pods: [{ namespace: 'n' }] }, 'pods[0].name: expected a text of 1 to 253 characters, not nothing'],
  [
    { pods: [{ name: 'a', namespace: 'n', ips: ['10.0.0.300'] }] },
    'pods[0].ips[0]: expected an IPv4 or IPv6 address, not "10.0.0.300"',
  ],
  [{ pods: [{ name: 'a', namespace: 'n', from: 2, until: 1 }] }, 'pods[0].until: lies before `from`'],
  [{ pods: [{ name: 'a', namespace: 'n', labels: { x: 1 } }] }, 'pods[0].labels.x: expected a text, not 1'],
  [
    { services: [{ name: 's', namespace: 'n', ports: [0] }] },
    'services[0].ports[0]: expected a port from 1 to 65535, not 0',
  ],
  [
    { services: [{ name: 's', namespace: 'n', from: 'soon' }] },
    'services[0].from: expected Unix milliseconds',
  ],
])('%j is refused with its place', (value, message) => {
  expect(() => parseInventory(value)).toThrow(message)
})
