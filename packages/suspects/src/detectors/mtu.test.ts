import { expect, it } from 'vitest'
import { evidence, pair, traffic } from '../testing/sample-evidence.ts'
import { mtuBlackHole } from './mtu.ts'

const lost = (requestBytes: number) => traffic({ calls: 20, requestBytes })
const edge = (requestBytes: number) => traffic({ calls: 120, failures: 20, requestBytes })
const find = (bytes: number, retransmissions: number) =>
  mtuBlackHole(
    evidence(
      {},
      { edges: [edge(20 * bytes + 100 * 100)], silent: [lost(20 * bytes)] },
      { connections: [{ ...pair('orders', { retransmissions }), ...ends }] },
    ),
  )
const { client, server } = traffic({})
const ends = { client, server }

it('reports large requests that are sent again without an answer while small ones work', () => {
  const [found] = find(1300, 60)
  expect(found).toMatchObject({ kind: 'mtu_black_hole', server: { name: 'orders' } })
  expect(found?.selection?.requestLargerThan).toBeGreaterThan(100)
  expect(found?.selection?.requestLargerThan).toBeLessThan(1300)
  expect(found?.selection?.isSilent).toBe(true)
})

it('stays silent on requests of any size without an answer, and on a server that received the large ones', () => {
  expect(find(120, 60)).toEqual([])
  expect(find(1300, 0)).toEqual([])
})
