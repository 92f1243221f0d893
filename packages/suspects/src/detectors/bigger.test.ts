import { expect, it } from 'vitest'
import { evidence, traffic } from '../testing/sample-evidence.ts'
import { bigger } from './bigger.ts'

const paths = (responseBytes: number, calls = 100) => [traffic({ path: '/list', responseBytes, calls })]

it('reports responses that grew, with the size from which on they are the large ones', () => {
  const [found] = bigger(evidence({ paths: paths(100_000) }, { paths: paths(50_000_000) }))
  expect(found).toMatchObject({ kind: 'bigger', before: '1000 bytes a call', selection: { path: '/list' } })
  expect(found?.selection?.largerThan).toBeGreaterThan(1000)
  expect(found?.selection?.largerThan).toBeLessThan(500_000)
})

it('stays silent where more calls make more bytes, and where a small response becomes a less small one', () => {
  expect(bigger(evidence({ paths: paths(100_000) }, { paths: paths(10_000_000, 10_000) }))).toEqual([])
  expect(bigger(evidence({ paths: paths(1000) }, { paths: paths(50_000) }))).toEqual([])
})
