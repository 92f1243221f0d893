import { expect, it } from 'vitest'
import { evidence, traffic } from '../testing/sample-evidence.ts'
import { newAndGoneEdges } from './edges.ts'

const edges = [traffic({})]
const staging = { ...traffic({ to: 'db' }), server: { name: 'db', ns: 'staging' } }

it('reports a new pair, higher where it crosses namespaces and the client was known', () => {
  const [crossing] = newAndGoneEdges(evidence({ edges }, { edges: [...edges, staging] }))
  expect(crossing).toMatchObject({ kind: 'new_edge', server: { name: 'db', ns: 'staging' } })
  expect(crossing?.what).toContain('shop → staging')
  const [local] = newAndGoneEdges(evidence({ edges }, { edges: [...edges, traffic({ from: 'cron' })] }))
  expect(local?.score).toBeLessThan(45)
  expect(crossing?.score).toBeGreaterThan(45)
})

it('reports calls that ceased, where chance does not explain it', () => {
  expect(newAndGoneEdges(evidence({ edges }, { edges: [] }))).toMatchObject([{ kind: 'gone' }])
  expect(newAndGoneEdges(evidence({ edges: [traffic({ calls: 3 })] }, { edges: [] }))).toEqual([])
})

it('stays silent where not all pairs are known', () => {
  expect(newAndGoneEdges(evidence({ edges, isCut: true }, { edges: [...edges, staging] }))).toEqual([])
  expect(newAndGoneEdges(evidence(null, { edges }))).toEqual([])
})
