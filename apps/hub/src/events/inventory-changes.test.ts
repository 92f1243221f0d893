import { describe, expect, it } from 'vitest'
import { inventoryChanges } from './inventory-changes.ts'

const web = { name: 'web-1', namespace: 'shop', ips: ['10.0.0.1'] }
const shop = { name: 'web', namespace: 'shop', ips: ['10.96.0.1'], ports: [80] }

describe('inventoryChanges', () => {
  it('reports what was added, changed and removed, with addresses', () => {
    const before = { pods: [web, { ...web, name: 'old' }], services: [shop] }
    const after = {
      pods: [
        { ...web, ips: ['10.0.0.9'] },
        { ...web, name: 'new', annotations: { a: 'b' } },
      ],
      services: [{ ...shop }],
      nodes: [{ name: 'n1', ips: ['192.0.2.1'] }],
    }
    expect(inventoryChanges(before, after, 5)).toEqual([
      { ts: 5, kind: 'cluster', type: 'node_added', name: 'n1', ips: ['192.0.2.1'] },
      { ts: 5, kind: 'cluster', type: 'pod_removed', name: 'old', namespace: 'shop', ips: ['10.0.0.1'] },
      {
        ts: 5,
        kind: 'cluster',
        type: 'pod_changed',
        name: 'web-1',
        namespace: 'shop',
        ips: ['10.0.0.9'],
        before: { ips: ['10.0.0.1'] },
      },
      { ts: 5, kind: 'cluster', type: 'pod_added', name: 'new', namespace: 'shop', ips: ['10.0.0.1'] },
    ])
  })

  it('says nothing where nothing changed', () => {
    const same = { pods: [web], services: [shop] }
    expect(inventoryChanges(same, structuredClone(same), 5)).toEqual([])
  })

  it('takes a pod that lives again for another one', () => {
    const types = inventoryChanges(
      { pods: [{ ...web, uid: 'a' }], services: [] },
      { pods: [{ ...web, uid: 'b' }], services: [] },
      5,
    ).map(({ type }) => type)
    expect(types).toEqual(['pod_removed', 'pod_added'])
  })
})
