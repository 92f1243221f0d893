import { expect, it } from 'vitest'
import { evidence, traffic } from '../testing/sample-evidence.ts'
import { deadline } from './deadline.ts'

const edge = traffic({ p50: 60, p90: 85, calls: 100 })
const find = (p50: number, p90: number, error = 'DEADLINE_EXCEEDED') =>
  deadline(
    evidence(
      { edges: [edge] },
      { edges: [edge], failures: [traffic({ calls: 60, failures: 60, error, p50, p90 })] },
    ),
  )

it('reports calls that end at a time which was always needed', () => {
  const [found] = find(50, 53)
  expect(found).toMatchObject({ kind: 'deadline', client: { name: 'web' }, server: { name: 'orders' } })
  expect(found?.what).toContain('after 50 ms')
})

it('stays silent on a server that became slower than the deadline, on times that differ, and on other errors', () => {
  expect(find(1000, 1002)).toEqual([])
  expect(find(20, 80)).toEqual([])
  expect(find(50, 53, '500')).toEqual([])
})
