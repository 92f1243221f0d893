import { expect, it } from 'vitest'
import type { Connections } from '../evidence.ts'
import { evidence, pair } from '../testing/sample-evidence.ts'
import { tcpTrouble } from './tcp.ts'

const find = (...connections: Connections[]) => tcpTrouble(evidence(null, {}, { connections }))

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

it('reports zero windows, with the receiver of most bytes as the slow reader, and that this is inferred', () => {
  const [found] = find(pair('a', { zeroWindows: 12 }))
  expect(found).toMatchObject({ kind: 'zero_window' })
  expect(found?.what).toMatch(/^web reads/)
  expect(found?.against[0]).toContain('inferred')
  expect(find(pair('a', { zeroWindows: 12, requestBytes: 1e6 }))[0]?.what).toMatch(/^a reads/)
  expect(find(pair('a', { zeroWindows: 1 }))).toEqual([])
})
