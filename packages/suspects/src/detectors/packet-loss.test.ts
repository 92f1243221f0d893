import { expect, it } from 'vitest'
import type { Connections } from '../evidence.ts'
import { evidence, pair } from '../testing/sample-evidence.ts'
import { packetLoss } from './packet-loss.ts'

const find = (...connections: Connections[]) => packetLoss(evidence(null, {}, { connections }))

it('reports the pair that retransmits more than the others', () => {
  const found = find(pair('a'), pair('b'), pair('c', { retransmissions: 80 }))
  expect(found).toMatchObject([
    { kind: 'packet_loss', server: { name: 'c' }, after: '80 of 1000 packets (8.0 %)' },
  ])
})

it('stays silent on a few retransmissions, and where all pairs have as many', () => {
  expect(find(pair('a', { retransmissions: 15 }))).toEqual([])
  const all = ['a', 'b', 'c'].map((name) => pair(name, { retransmissions: 50 }))
  expect(find(...all)).toEqual([])
})
