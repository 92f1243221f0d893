import { expect, it } from 'vitest'
import { evidence, pair, traffic } from '../testing/sample-evidence.ts'
import { leakingConnections } from './leaking-connections.ts'

const { client, server } = traffic({})
const find = (calls: number, open: number, openQuietMs: number) => {
  const connections = [
    { ...pair('', { connections: 70, open, openQuietMs, connectionsBefore: 4 }), client, server },
  ]
  return leakingConnections(evidence({}, { edges: [traffic({ calls })] }, { connections }))
}

it('reports connections that are opened and neither used nor closed', () => {
  const [found] = find(80, 66, 25_000)
  expect(found).toMatchObject({
    kind: 'leaking_connections',
    client: { name: 'web' },
    server: { name: 'orders' },
  })
  expect(found?.after).toContain('66 still open')
})

it('stays silent on connections that are closed, on those that are used again, and on busy ones', () => {
  expect(find(80, 3, 25_000)).toEqual([])
  expect(find(900, 66, 25_000)).toEqual([])
  expect(find(80, 66, 300)).toEqual([])
})
