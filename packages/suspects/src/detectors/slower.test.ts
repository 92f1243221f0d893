import { expect, it } from 'vitest'
import { evidence, traffic } from '../testing/sample-evidence.ts'
import { slower } from './slower.ts'

const of = (p50: number, more: Parameters<typeof traffic>[0] = {}) => [
  traffic({ p50, p90: p50 * 2, ...more }),
]

it('reports calls that take longer, and from which latency on they are the slow ones', () => {
  const [found] = slower(evidence({ edges: of(10) }, { edges: of(90) }))
  expect(found).toMatchObject({ kind: 'slower', client: { name: 'web' }, server: { name: 'orders' } })
  expect(found?.what).toContain('9.0 times')
  const { slowerThan = 0 } = found?.selection ?? {}
  expect(slowerThan).toBeGreaterThanOrEqual(20)
  expect(slowerThan).toBeLessThan(90)
})

it('names the path where one of several became slow', () => {
  const path = (name: string, p50: number) => traffic({ path: name, p50, p90: p50, calls: 30 })
  const before = { edges: of(10), paths: [path('/a', 10), path('/b', 10)] }
  const found = slower(evidence(before, { edges: of(10), paths: [path('/a', 10), path('/b', 300)] }))
  expect(found.map(({ selection }) => selection?.path)).toEqual(['/b'])
})

it('stays silent on chance, on small differences, on few calls, and on connections that last longer', () => {
  expect(slower(evidence({ edges: of(10) }, { edges: of(13) }))).toEqual([])
  expect(slower(evidence({ edges: of(0.2) }, { edges: of(0.9) }))).toEqual([])
  expect(slower(evidence({ edges: of(10, { calls: 3 }) }, { edges: of(90, { calls: 3 }) }))).toEqual([])
  expect(
    slower(evidence({ edges: of(10, { proto: 'tcp' }) }, { edges: of(9000, { proto: 'tcp' }) })),
  ).toEqual([])
  expect(slower(evidence(null, { edges: of(90) }))).toEqual([])
})
