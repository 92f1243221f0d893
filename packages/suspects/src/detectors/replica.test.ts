import { expect, it } from 'vitest'
import { evidence, traffic } from '../testing/sample-evidence.ts'
import { oddReplica } from './replica.ts'

const pod = (to: string, more: Parameters<typeof traffic>[0] = {}) => traffic({ from: 'orders', to, ...more })
const find = (...replicas: ReturnType<typeof pod>[]) => oddReplica(evidence(null, { replicas }))

it('reports the one pod of a service that fails or is slow', () => {
  const failing = find(pod('orders-0'), pod('orders-1', { failures: 60 }), pod('orders-2'))
  expect(failing).toMatchObject([{ kind: 'replica', selection: { pod: { name: 'orders-1' } } }])
  const slow = find(pod('orders-0'), pod('orders-1'), pod('orders-2', { p50: 200 }))
  expect(slow).toMatchObject([{ kind: 'replica', selection: { pod: { name: 'orders-2' } } }])
})

it('stays silent where all pods fail, where one pod has few calls, and where there is one pod', () => {
  expect(find(pod('orders-0', { failures: 50 }), pod('orders-1', { failures: 60 }))).toEqual([])
  expect(find(pod('orders-0'), pod('orders-1', { failures: 4, calls: 5 }))).toEqual([])
  expect(find(pod('orders-0', { failures: 60 }))).toEqual([])
})
