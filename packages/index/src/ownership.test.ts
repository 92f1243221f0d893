import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { protocols, toCallRecord } from '@tapdeck/dissect'
import { compile, createCatalog } from '@tapdeck/kfl'
import {
  answerQuestion,
  askMerged,
  isUndecided,
  type Ownership,
  ownedFilter,
  type QuestionName,
  type Questions,
  reportedCalls,
} from '@tapdeck/questions'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CallIndex } from './call-index.ts'
import { openIndex } from './duckdb/open-index.ts'
import { sampleCall, samplePeers } from './testing/sample-call.ts'
import { DAWN, sampleFlow } from './testing/sample-flow.ts'

const catalog = createCatalog(protocols)
const NODES = ['n0', 'n1', 'n2']
const NOW = DAWN / 1000
/** Times at which `n1` stores nothing, in milliseconds. */
const GAP = { node: 'n1', from: NOW + 10_000, to: NOW + 20_000 }
let folder: string
let whole: CallIndex
let nodes: CallIndex[]

/** Exchanges between peers on all nodes, some of them outside of the cluster. */
const exchanges = Array.from({ length: 60 }, (_, id) => {
  const [from, to] = [id % 4, Math.floor(id / 4) % 4]
  const start = DAWN + id * 500_000
  const flow = sampleFlow({
    id: id + 1,
    client: `10.0.${from}.1`,
    server: `10.1.${to}.1`,
    clientPort: id + 1,
    start,
  })
  flow.closed = 'fin'
  const named = (at: number, name: string) =>
    at === 3
      ? {}
      : { pod: `${name}-${at}`, ns: 'shop', node: `n${at}`, ...(name === 'api' && { svc: 'api' }) }
  return {
    flow,
    call: sampleCall({ flow, start, latency: 1000 + id }),
    peers: samplePeers(flow, named(from, 'web'), named(to, 'api')),
  }
})

type Exchange = (typeof exchanges)[number]

function append(index: CallIndex, { flow, call, peers }: Exchange): void {
  index.append(call, peers)
  index.appendFlow(flow, peers)
}

/** Both nodes see an exchange between them; one between peers outside is seen by the first node. */
function isSeen(node: string, { peers: { src, dst }, call }: Exchange): boolean {
  const ms = call.start / 1000
  if (node === GAP.node && ms >= GAP.from && ms <= GAP.to) return false
  if (src.node === undefined && dst.node === undefined) return node === 'n0'
  return src.node === node || dst.node === node
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-owners-'))
  const options = { node: 'one', captureSource: 'file', maxBytes: 0, memory: 128 * 1024 * 1024 }
  const open = (name: string) => openIndex(join(folder, name), options, catalog)
  whole = await open('whole')
  nodes = await Promise.all(NODES.map(open))
  for (const exchange of exchanges) {
    const seenBy = NODES.filter((node) => isSeen(node, exchange))
    for (const node of seenBy) append(nodes[NODES.indexOf(node)]!, exchange)
    if (seenBy.length > 0) append(whole, exchange)
  }
  for (const index of [whole, ...nodes]) await index.flush()
})

afterAll(async () => {
  for (const index of [whole, ...nodes]) await index.close()
  rmSync(folder, { recursive: true })
})

function ask<Name extends QuestionName>(question: Name, input: Questions[Name]['input'], owned: boolean) {
  const sources = {
    count: nodes.length,
    async ask<Asked extends QuestionName>(
      asked: Asked,
      about: Questions[Asked]['input'],
      at = [...nodes.keys()],
    ) {
      const answers = at.map(async (place) => {
        const owners: Ownership = { node: NODES[place]!, nodes: NODES, gaps: [GAP] }
        const narrowed = owned && asked !== 'summary' ? { ...about, owners } : about
        return [place, await answerQuestion(nodes[place]!, catalog, NOW, asked, narrowed)] as const
      })
      return new Map(await Promise.all(answers))
    },
  }
  return askMerged(sources, question, input)
}

test('of the views in one index of all nodes, a filter selects one of each exchange', () => {
  const filter = ownedFilter(compile('', catalog), { nodes: NODES, gaps: [GAP] }, catalog)
  for (const exchange of exchanges) {
    const seenBy = NODES.filter((node) => isSeen(node, exchange))
    const views = seenBy.map((node) => toCallRecord(exchange.call, exchange.peers, node, 'file'))
    expect(views.filter((view) => filter.matches(view))).toHaveLength(Math.min(1, seenBy.length))
  }
})

const questions = [
  ['count', { kfl: '' }],
  ['count', { kfl: 'dst.svc == "api"' }],
  ['stats', { kfl: '', group_by: 'service', limit: 3 }],
  ['stats', { kfl: '', group_by: 'src', limit: 100 }],
  ['values', { field: 'src.pod', prefix: '', kfl: '', limit: 2 }],
  ['flows', { aggregate: 'service', order: 'bytes', limit: 2 }],
  ['flows', { order: 'packets', limit: 1000 }],
] as const

test.each(questions)(
  'each exchange that two nodes have seen is counted once: %s %j',
  async (question, input) => {
    const rounded = (answer: unknown) =>
      JSON.parse(
        JSON.stringify(answer, (key, value) => {
          if (key === 'source') return undefined
          return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(9)) : value
        }),
      )
    const expected = rounded(await answerQuestion(whole, catalog, NOW, question, input))
    expect(rounded(await ask(question, input, true))).toEqual(expected)
    expect(rounded(await ask(question, input, false))).not.toEqual(expected)
  },
)

test('pages of calls have each exchange once, and a cursor stays valid when another node comes', async () => {
  const query = { kfl: '', limit: 5, order: 'newest', format: 'compact' } as const
  const { calls } = await answerQuestion(whole, catalog, NOW, 'calls', { ...query, limit: 100 })
  const found: unknown[] = []
  for (const [place, index] of nodes.entries()) {
    const owners = { node: NODES[place]!, nodes: NODES, gaps: [GAP] }
    const first = await answerQuestion(index, catalog, NOW, 'calls', { ...query, owners })
    const more = { ...owners, nodes: [...NODES, 'n9'] }
    const { next_cursor: cursor = '' } = first
    const rest = await answerQuestion(index, catalog, NOW, 'calls', {
      ...query,
      limit: 100,
      owners: more,
      cursor,
    })
    found.push(...first.calls, ...rest.calls)
  }
  const ids = (all: readonly unknown[]) => all.map((call) => (call as { readonly id: string }).id).sort()
  expect(ids(found)).toEqual(ids(calls))
})

/** What one node knows of an end: its node, or nothing. */
const KNOWN = [undefined, 'n0', 'n1', 'n2', 'n9']
const TIMES = [GAP.from - 5, (GAP.from + GAP.to) / 2]
const everything = KNOWN.flatMap((src) =>
  KNOWN.flatMap((dst) =>
    TIMES.flatMap((ts) => [true, false].flatMap((settled) => [{ src, dst, ts, settled }])),
  ),
)
const nodeOf = (node: string | undefined) => (node === undefined ? {} : { node })
const sample = exchanges[0]!

test.each(NODES)('the filter and the check of a live call say the same of all calls of %s', (node) => {
  for (const { src, dst, ts, settled } of everything) {
    const owners = { node, nodes: NODES, gaps: [GAP], settled }
    const call = { ts, src: nodeOf(src), dst: nodeOf(dst) }
    const peers = {
      src: { ip: '10.0.0.1', port: 1, ...nodeOf(src) },
      dst: { ip: '10.0.0.2', port: 2, ...nodeOf(dst) },
    }
    const record = toCallRecord({ ...sample.call, start: ts * 1000 }, peers, node, 'file')
    const matches = (ownership: Ownership, undecided = false) =>
      ownedFilter(compile('', catalog), ownership, catalog, undecided).matches(record)
    const reported = reportedCalls(owners)(call)
    expect([src, dst, ts, settled, matches(owners)]).toEqual([src, dst, ts, settled, reported])
    expect(matches({ nodes: NODES, gaps: [GAP], settled })).toBe(reported)
    expect(matches(owners, true)).toBe(reported && isUndecided(call, settled))
  }
})

test('no call is left out by both nodes, whatever each of them knows; those that both report are counted', () => {
  const ends = ['n0', 'n1']
  const reports = (node: string, knows: readonly boolean[], settled: boolean) => {
    const [src, dst] = ends.map((end, at) => nodeOf(knows[at] ? end : undefined))
    const owners = { node, nodes: NODES, settled }
    const call = { ts: 1, src: src!, dst: dst! }
    return { reported: reportedCalls(owners)(call), undecided: isUndecided(call, settled) }
  }
  const views = [true, false].flatMap((src) => [true, false].map((dst) => [src, dst]))
  for (const one of views)
    for (const other of views) {
      const both = [reports('n0', one, false), reports('n1', other, false)]
      const reported = both.filter((view) => view.reported)
      expect(reported.length).toBeGreaterThan(0)
      if (reported.length > 1) expect(reported.some((view) => view.undecided)).toBe(true)
    }
  // With the same knowledge on both it is one, and what is outside of all nodes is not doubted.
  for (const both of views.slice(0, 3))
    expect(NODES.slice(0, 2).filter((node) => reports(node, both, true).reported)).toHaveLength(1)
  expect(reports('n1', [false, true], true).undecided).toBe(false)
})
