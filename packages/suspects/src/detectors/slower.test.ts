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

it('more calls on a path that was always slow are no slower calls', () => {
  const path = (name: string, p50: number, calls: number) => traffic({ path: name, p50, p90: p50, calls })
  const before = { edges: of(10), paths: [path('/a', 10, 60), path('/b', 200, 40)] }
  const more = { edges: of(200), paths: [path('/a', 10, 40), path('/b', 200, 60)] }
  expect(slower(evidence(before, more))).toEqual([])
  const slow = { edges: of(200), paths: [path('/a', 10, 40), path('/b', 900, 60)] }
  expect(slower(evidence(before, slow))).toMatchObject([
    { selection: { path: '/b' }, loss: { lost: 30, of: 60 } },
  ])
})

it('many times a few milliseconds is minor, many times a second is not', () => {
  const isMinor = (was: number, is: number) =>
    slower(evidence({ edges: of(was) }, { edges: of(is) })).map((one) => one.isMinor)
  expect(isMinor(1, 20)).toEqual([true])
  expect(isMinor(50, 1000)).toEqual([undefined])
})
