import { expect, it } from 'vitest'
import type { Finding, FindingKind } from './finding.ts'
import { rankFindings } from './rank-findings.ts'

function finding(kind: FindingKind, client: string, server: string, score: number): Finding {
  return {
    kind,
    score,
    what: `${client} ${server} ${kind}`,
    after: '',
    client: { name: client },
    server: { name: server },
    against: [],
  }
}

it('ranks a callee that explains its callers above them, over several steps', () => {
  const found = rankFindings([
    finding('failing', 'web', 'shop', 85),
    finding('slower', 'shop', 'orders', 75),
    finding('slower', 'orders', 'db', 60),
  ])
  expect(found.map(({ server }) => server?.name)).toEqual(['db', 'shop', 'orders'])
  expect(found[0]).toMatchObject({ explains: [2], severity: 'high' })
  expect(found.find(({ server }) => server?.name === 'shop')).toMatchObject({ explainedBy: 2 })
})

it('does not let a weak finding explain a strong one, nor two parties explain each other', () => {
  const weak = rankFindings([finding('failing', 'web', 'shop', 85), finding('slower', 'shop', 'db', 40)])
  expect(weak[0]?.server?.name).toBe('shop')
  const circle = rankFindings([finding('failing', 'a', 'b', 80), finding('failing', 'b', 'a', 70)])
  expect(circle.filter(({ explainedBy }) => explainedBy !== undefined)).toHaveLength(1)
})

it('on one edge, larger responses explain that they are slow', () => {
  const found = rankFindings([finding('slower', 'web', 'shop', 80), finding('bigger', 'web', 'shop', 60)])
  expect(found.map(({ kind }) => kind)).toEqual(['bigger', 'slower'])
})

it('gives the same order for the same findings in any order', () => {
  const all = ['b', 'a', 'd', 'c'].map((server) => finding('gone', 'web', server, 42))
  const names = (list: readonly Finding[]) => rankFindings(list).map(({ server }) => server?.name)
  expect(names(all)).toEqual(names(all.toReversed()))
})
