import { expect, it } from 'vitest'
import { evidence, traffic } from '../testing/sample-evidence.ts'
import { hotReplica } from './hot-replica.ts'

const pods = (calls: number[], slow = 1) =>
  calls.map((count, at) =>
    traffic({ from: 'store', to: `store-${at}`, calls: count, p50: at === 1 ? 10 * slow : 10 }),
  )
const find = (before: number[], after: number[], slow = 8) =>
  hotReplica(evidence({ replicas: pods(before) }, { replicas: pods(after, slow) }))

it('reports the pod that gets most calls and is slow under them', () => {
  expect(find([100, 100, 100], [30, 240, 30])).toMatchObject([
    { kind: 'hot_replica', server: { name: 'store' }, selection: { pod: { name: 'store-1' } } },
  ])
})

it('stays silent on chance, on a pod that always had most calls; one that keeps up is a note', () => {
  expect(find([100, 100, 100], [90, 120, 90])).toEqual([])
  expect(find([30, 240, 30], [30, 240, 30])).toEqual([])
  expect(find([100, 100, 100], [30, 240, 30], 1)[0]?.score).toBeLessThan(45)
})
