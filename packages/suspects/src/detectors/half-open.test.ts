import { expect, it } from 'vitest'
import type { Stalled } from '../evidence.ts'
import { DAWN, evidence, traffic } from '../testing/sample-evidence.ts'
import { halfOpen } from './half-open.ts'

const { client, server } = traffic({})
const find = (connections: number, failures: number) => {
  const stalled: Stalled[] = [
    { client, server, proto: 'http', connections, requests: 6, idle: 9000, first: DAWN },
  ]
  return halfOpen(evidence({}, { edges: [traffic({ calls: 80, failures })] }, { stalled }))
}

it('reports connections that only one end still has, while others to the same server work', () => {
  const [found] = find(5, 6)
  expect(found).toMatchObject({ kind: 'half_open', began: DAWN, against: [] })
  expect(found?.after).toContain('idle before for up to 9.0 s')
})

it('says that a server that answers no requests may be gone', () => {
  expect(find(5, 80)[0]?.against[0]).toContain('may be gone')
  expect(find(5, 80)[0]?.score).toBeLessThan(find(5, 6)[0]?.score ?? 0)
})

it('stays silent on one connection, and where nothing is stalled', () => {
  expect(find(1, 6)).toEqual([])
  expect(halfOpen(evidence({}, { edges: [traffic({ failures: 50 })] }))).toEqual([])
})
