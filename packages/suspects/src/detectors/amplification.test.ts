import { expect, it } from 'vitest'
import { evidence, traffic } from '../testing/sample-evidence.ts'
import { amplification } from './amplification.ts'

const edge = (from: string, to: string, calls: number, failures = 0) => traffic({ from, to, calls, failures })
const before = {
  edges: [edge('user', 'web', 100), edge('web', 'api', 100), edge('api', 'db', 100)],
}
const find = (...edges: ReturnType<typeof edge>[]) => amplification(evidence(before, { edges }))

it('reports retries at two layers that multiply', () => {
  const found = find(edge('user', 'web', 100), edge('web', 'api', 300, 200), edge('api', 'db', 900, 800))
  expect(found).toMatchObject([{ kind: 'amplification', client: { name: 'api' }, server: { name: 'db' } }])
  expect(found[0]?.what).toContain('web → api → db: 9.0 times')
})

it('stays silent where one layer retries, where the load rose, and where nothing fails', () => {
  expect(find(edge('user', 'web', 100), edge('web', 'api', 100), edge('api', 'db', 300, 200))).toEqual([])
  expect(find(edge('user', 'web', 900), edge('web', 'api', 900), edge('api', 'db', 900, 300))).toEqual([])
  expect(find(edge('user', 'web', 100), edge('web', 'api', 300), edge('api', 'db', 900))).toEqual([])
})
