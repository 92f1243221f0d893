import { parseInventory } from '@tapdeck/inventory'
import { expect, test } from 'vitest'
import { namesOf } from './cluster-names.ts'

const meta = { namespace: 'shop', labels: { 'pod-template-hash': '5d4f' } }
const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-5d4f', uid: '1', controller: true }
const pod = (name: string, ip: string | undefined, more: object = {}) => ({
  metadata: { ...meta, name, uid: name, ownerReferences: [owner] },
  spec: { containers: [{ name: 'web', ports: [{ containerPort: 8080 }] }], nodeName: 'node1' },
  status: { phase: 'Running', ...(ip && { podIPs: [{ ip }] }) },
  ...more,
})

test('pods, their Deployment and the Services that lead to them have names', () => {
  const names = namesOf({
    pods: [pod('web-5d4f-x', '10.244.1.5')],
    services: [
      {
        metadata: { name: 'web', namespace: 'shop' },
        spec: { clusterIPs: ['10.96.0.9'], ports: [{ port: 80, nodePort: 30_080 }] },
      },
      { metadata: { name: 'direct', namespace: 'shop' }, spec: { clusterIPs: ['None'] } },
    ],
    slices: [
      {
        metadata: { namespace: 'shop', labels: { 'kubernetes.io/service-name': 'web' } },
        addressType: 'IPv4',
        endpoints: [{ addresses: ['10.244.1.5'] }],
        ports: [{ port: 8080 }],
      },
      {
        metadata: { namespace: 'other', labels: { 'kubernetes.io/service-name': 'web' } },
        addressType: 'IPv4',
        endpoints: [{ addresses: ['10.244.9.9'] }],
      },
    ],
  })
  expect(names.pods).toMatchObject([
    {
      ...{ name: 'web-5d4f-x', namespace: 'shop', ips: ['10.244.1.5'], node: 'node1' },
      owners: [
        { kind: 'ReplicaSet', name: 'web-5d4f' },
        { kind: 'Deployment', name: 'web' },
      ],
    },
  ])
  expect(names.services).toMatchObject([
    {
      name: 'web',
      ips: ['10.96.0.9'],
      nodePorts: [30_080],
      endpoints: [{ ip: '10.244.1.5', ports: [8080] }],
    },
    { name: 'direct', ips: [], endpoints: [] },
  ])
  // What a hub accepts.
  expect(parseInventory(names).pods).toHaveLength(1)
})

test('a pod without an address, one that has ended, and one of the host network without ports have no name', () => {
  const host = { containers: [{ name: 'x' }], hostNetwork: true }
  const pods = [
    pod('new', undefined),
    pod('done', '10.244.1.6', { status: { phase: 'Succeeded', podIPs: [{ ip: '10.244.1.6' }] } }),
    pod('host', '10.80.0.11', { spec: host }),
    pod('host-web', '10.80.0.11', {
      spec: { ...host, containers: [{ name: 'x', ports: [{ containerPort: 8090 }] }] },
    }),
  ]
  expect(namesOf({ pods, services: [], slices: [] }).pods).toMatchObject([
    { name: 'host-web', ports: [8090] },
  ])
})
