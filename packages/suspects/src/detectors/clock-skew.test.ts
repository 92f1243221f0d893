import { expect, it } from 'vitest'
import type { PodHeaders } from '../evidence.ts'
import { evidence, podHeaders } from '../testing/sample-evidence.ts'
import { clockSkew } from './clock-skew.ts'

const pods = (...offsets: number[]): PodHeaders[] =>
  offsets.map((clockOffset, at) => podHeaders(`auth-${at}`, { clockOffset }))
const find = (before: number[] | null, after: number[]) =>
  clockSkew(evidence(before && { headers: pods(...before) }, { headers: pods(...after) }))

it('reports the pod whose clock jumped, and by how much', () => {
  const found = find([0, 100], [200, 95_000])
  expect(found).toMatchObject([{ kind: 'clock_skew', selection: { pod: { name: 'auth-1' } } }])
  expect(found[0]?.what).toContain('95 s ahead')
  expect(found[0]?.score).toBeGreaterThan(70)
})

it('stays silent on a second or two, and where all clocks differ by the same', () => {
  expect(find([0, 0], [1500, -900])).toEqual([])
  expect(find([60_000, 60_000], [60_000, 60_400])).toEqual([])
})

it('a clock that was always wrong is a note', () => {
  expect(find([0, 7000], [0, 7000])[0]?.score).toBeLessThan(45)
})
