import { expect, it } from 'vitest'
import { evidence, traffic } from '../testing/sample-evidence.ts'
import { moreCalls } from './more-calls.ts'

const shop = (requests: number, queries: number, failures = 0) => ({
  edges: [traffic({ calls: requests }), traffic({ from: 'orders', to: 'db', calls: queries, failures })],
})

it('reports more calls for each request, as after a release with one query for each row', () => {
  const [found, ...rest] = moreCalls(evidence(shop(100, 100), shop(100, 1100)))
  expect(rest).toEqual([])
  expect(found).toMatchObject({ kind: 'n_plus_one', client: { name: 'orders' }, server: { name: 'db' } })
  expect(found?.after).toContain('1.0 → 11.0')
  expect(found?.score).toBeGreaterThan(62)
})

it('says where they are probably retries', () => {
  const [found] = moreCalls(evidence(shop(100, 100), shop(100, 400, 300)))
  expect(found?.what).toContain('retries')
  expect(found?.against[0]).toMatch(/fail/)
})

it('more requests that make more queries are no finding of the queries', () => {
  const found = moreCalls(evidence(shop(100, 100), shop(400, 400)))
  expect(found.map(({ client }) => client?.name)).toEqual(['web'])
  expect(found[0]?.score).toBeLessThan(50)
})
