import { expect, it } from 'vitest'
import { evidence, traffic } from '../testing/sample-evidence.ts'
import { concurrency } from './concurrency.ts'

const find = (before: Parameters<typeof traffic>[0], after: Parameters<typeof traffic>[0]) =>
  concurrency(evidence({ edges: [traffic(before)] }, { edges: [traffic(after)] }))

it('reports calls that pile up', () => {
  const [found] = find({ calls: 600, p50: 50 }, { calls: 900, p50: 900 })
  expect(found).toMatchObject({ kind: 'concurrency', before: '0.5 at a time' })
  expect(found?.what).toContain('13.5 http calls')
})

it('stays silent where few are under way, and on connections that are open longer', () => {
  expect(find({ calls: 600, p50: 5 }, { calls: 900, p50: 60 })).toEqual([])
  expect(find({ calls: 600, p50: 50, proto: 'tcp' }, { calls: 900, p50: 900, proto: 'tcp' })).toEqual([])
})
