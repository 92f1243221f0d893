import { expect, it } from 'vitest'
import type { Finding, FindingKind } from './finding.ts'
import { rankFindings } from './rank-findings.ts'
import { traffic } from './testing/sample-evidence.ts'

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

const lost = (client: string, server: string, score: number, count: number, of = 1000): Finding => ({
  ...finding('failing', client, server, score),
  loss: { how: 'failed', lost: count, of },
})
const edges = [
  traffic({ from: 'visitor', to: 'web', calls: 1000 }),
  traffic({ from: 'web', to: 'shop', calls: 1000 }),
  traffic({ from: 'shop', to: 'db', calls: 9000 }),
].map((one) => ({ ...one, client: { name: one.client.name }, server: { name: one.server.name } }))

it('a weak finding at the end of a chain is the cause if it has most of the failures; it shows what users lose', () => {
  const chain = [
    lost('visitor', 'web', 53, 240),
    lost('web', 'shop', 53, 240),
    lost('shop', 'db', 30, 230, 9000),
  ]
  const [cause, ...rest] = rankFindings(chain, edges)
  expect(cause).toMatchObject({ server: { name: 'db' }, severity: 'high', victims: [1, 2] })
  expect(cause?.impact?.text).toBe('24 % of calls from visitor to web fail: 240 of 1,000')
  expect(rest.map(({ victims }) => victims)).toEqual([[], []])
  const few = rankFindings([chain[0], chain[1], lost('shop', 'db', 80, 40, 9000)] as Finding[], edges)
  expect(few.find(({ server }) => server?.name === 'shop')?.explainedBy).toBeUndefined()
})

it('ranks what users lose first: the larger part of the calls that enter', () => {
  const found = rankFindings(
    [lost('cron', 'store', 55, 30, 30), lost('visitor', 'web', 53, 240)],
    [
      ...edges,
      ...edges
        .slice(0, 1)
        .map((one) => ({ ...one, client: { name: 'cron' }, server: { name: 'store' }, calls: 30 })),
    ],
  )
  expect(found.map(({ client }) => client?.name)).toEqual(['visitor', 'cron'])
})

it('one lost call of one is a note, whatever its share', () => {
  expect(rankFindings([lost('a', 'b', 91, 1, 1)])).toMatchObject([
    { severity: 'note', impact: { lost: 1, of: 1 } },
  ])
  expect(rankFindings([lost('a', 'b', 91, 3, 3)])).toMatchObject([{ severity: 'high' }])
})

it('the same errors of two clients of one server are one cause', () => {
  const found = rankFindings([lost('shop', 'cache', 67, 40), lost('feed', 'cache', 67, 90)])
  expect(found).toMatchObject([{ client: { name: 'feed' }, victims: [1] }, { explainedBy: 0 }])
})

it('what was there before comes after what is new, and is the answer where nothing is', () => {
  const old: Finding = { ...lost('visitor', 'ads', 60, 300), isBackground: true }
  const ranked = rankFindings([old, lost('visitor', 'web', 66, 100)], edges)
  expect(ranked.map(({ isBackground }) => isBackground)).toEqual([undefined, true])
  expect(rankFindings([finding('gone', 'x', 'y', 42), old])[0]).toMatchObject({ isBackground: true })
  const minor: Finding = { ...finding('slower', 'visitor', 'web', 95), isMinor: true }
  expect(rankFindings([minor, old], edges).map(({ kind, severity }) => [kind, severity])).toEqual([
    ['failing', 'high'],
    ['slower', 'medium'],
  ])
})

it('errors that are ordinary explain nothing, and are no loss', () => {
  const [first, ...rest] = rankFindings(
    [lost('visitor', 'web', 53, 240), { ...lost('web', 'shop', 20, 240), isOrdinary: true }],
    edges,
  )
  expect(first).toMatchObject({ server: { name: 'web' }, explains: [] })
  expect(rest[0]?.impact).toBeUndefined()
})

it('what is new does not explain what was there before, and failures come of failures before delays', () => {
  const slow: Finding = {
    ...finding('slower', 'web', 'cart', 80),
    loss: { how: 'delayed', lost: 300, of: 600 },
  }
  const old = (one: Finding): Finding => ({ ...one, isBackground: true })
  const before = rankFindings(
    [slow, old(lost('visitor', 'web', 55, 240)), old(lost('web', 'shop', 55, 240))],
    edges,
  )
  expect(before.map(({ server, explainedBy }) => [server?.name, explainedBy])).toEqual([
    ['cart', undefined],
    ['web', 2],
    ['shop', undefined],
  ])
  const now = rankFindings([slow, lost('visitor', 'web', 55, 240), lost('web', 'shop', 50, 240)], edges)
  expect(now.find(({ victims }) => victims.length > 0)?.server?.name).toBe('shop')
})
