import { expect, it } from 'vitest'
import { evidence, pair, traffic } from '../testing/sample-evidence.ts'
import { leakingConnections } from './leaking-connections.ts'

const { client, server } = traffic({})
const leak = { connections: 150, open: 66, quietMs: 25_000, sampled: 70, hardlyUsed: 66 }
const find = (more: Partial<typeof leak> = {}, failures = 0) => {
  const connections = [{ ...pair('', { ...leak, ...more, connectionsBefore: 4 }), client, server }]
  return leakingConnections(evidence({}, { edges: [traffic({ calls: 80, failures })] }, { connections }))
}

it('reports connections that are opened and neither used nor closed', () => {
  const [found] = find()
  expect(found).toMatchObject({
    kind: 'leaking_connections',
    client: { name: 'web' },
    server: { name: 'orders' },
  })
  expect(found?.after).toContain('66 still open')
})

it('reports them at the limit of the server too, which closes all new ones at once', () => {
  const [found] = find({ connections: 500, open: 30, sampled: 33, hardlyUsed: 31 }, 60)
  expect(found?.what).toContain('calls on new ones fail')
  expect(found?.score).toBeGreaterThan(find()[0]?.score ?? 100)
})

it('stays silent on connections that are closed, on those that are used again, and on busy ones', () => {
  expect(find({ open: 3 })).toEqual([])
  expect(find({ sampled: 66, hardlyUsed: 5 })).toEqual([])
  expect(find({ quietMs: 300 })).toEqual([])
})

it('a pool whose server answers nothing any more does not leak', () => {
  expect(find({ connections: 30, open: 30, sampled: 30, hardlyUsed: 0 }, 80)).toEqual([])
})
