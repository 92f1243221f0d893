import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { protocols, toCallRecord } from '@tapdeck/dissect'
import { compile, createCatalog } from '@tapdeck/kfl'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { answerQuestion, type QuestionName, type Questions } from './answer-question.ts'
import type { CallIndex } from './call-index.ts'
import { openIndex } from './duckdb/open-index.ts'
import { askMerged } from './merge/ask-merged.ts'
import { type Ownership, ownedFilter } from './ownership.ts'
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
