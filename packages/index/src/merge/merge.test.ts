import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { protocols } from '@tapdeck/dissect'
import { createCatalog } from '@tapdeck/kfl'
import { type AnswerSources, answerQuestion, askMerged } from '@tapdeck/questions'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CallIndex } from '../call-index.ts'
import { openIndex } from '../duckdb/open-index.ts'
import { sampleCall, samplePeers } from '../testing/sample-call.ts'
import { DAWN, sampleFlow } from '../testing/sample-flow.ts'

const catalog = createCatalog(protocols)
const SPREADS = [2, 5]
const FLOWS = 90
let folder: string
let whole: CallIndex
/** The same flows, spread at random over so many indexes. */
const spread = new Map<number, CallIndex[]>()

/** A generator of numbers below 1, the same at every run (mulberry32). */
function numbers(seed: number) {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/** A skewed choice: the first are frequent, and the last rare. */
const choose = (next: () => number, count: number) => Math.floor(next() ** 2 * count)

function append(index: CallIndex, id: number): void {
  const next = numbers(id)
  const [client, server] = [choose(next, 12), choose(next, 25)]
  const flow = sampleFlow({
    id,
    client: `10.0.0.${client}`,
    server: `10.1.0.${server}`,
    clientPort: 40_000 + id,
    serverPort: 80 + (server % 3),
    start: DAWN + id * 1_700_000,
    ...(id % 3 > 0 && { handshake: 100 + choose(next, 900) }),
  })
  flow.closed = 'fin'
  flow.directions[0].bytes = 100 + choose(next, 5000)
  const peers = samplePeers(
    flow,
    client % 2 ? { pod: `web-${client}`, ns: 'front', node: `n${client % 4}` } : {},
    server % 5
      ? {
          ...{ svc: `svc-${server}`, pod: `pod-${server}`, ns: `ns-${server % 4}`, node: `n${server % 3}` },
          ...(server % 2 && { workload: `workload-${server % 6}` }),
        }
      : {},
  )
  for (let ordinal = 0; ordinal <= choose(next, 8); ordinal++) {
    const call = sampleCall({
      flow,
      ordinal,
      start: flow.start + 1000 + ordinal * 10_007,
      latency: 200 + Math.floor(next() * 400_000),
      path: `/orders/${choose(next, 40)}/x${choose(next, 30)}`,
      method: ['GET', 'POST', 'PUT'][choose(next, 3)]!,
      status: [200, 404, 500][choose(next, 3)]!,
      answered: next() > 0.05,
    })
    index.append(call, peers)
  }
  index.appendFlow(flow, peers)
}

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-merge-'))
  const options = { node: 'one', captureSource: 'file', maxBytes: 0, memory: 128 * 1024 * 1024 }
  const open = (name: string) => openIndex(join(folder, name), options, catalog)
  whole = await open('whole')
  for (let id = 1; id <= FLOWS; id++) append(whole, id)
  await whole.flush()
  for (const count of SPREADS) {
    const next = numbers(count)
    const indexes = await Promise.all(Array.from({ length: count }, (_, i) => open(`${count}-${i}`)))
    for (let id = 1; id <= FLOWS; id++) append(indexes[Math.floor(next() * count)]!, id)
    for (const index of indexes) await index.flush()
    spread.set(count, indexes)
  }
})

afterAll(async () => {
  for (const index of [whole, ...[...spread.values()].flat()]) await index.close()
  rmSync(folder, { recursive: true })
})

const NOW = DAWN / 1000
function sourcesOf(indexes: readonly CallIndex[]): AnswerSources {
  return {
    count: indexes.length,
    async ask(question, input, at = [...indexes.keys()]) {
      const answers = at.map(
        async (place) =>
          [place, await answerQuestion(indexes[place]!, catalog, NOW, question, input)] as const,
      )
      return new Map(await Promise.all(answers))
    },
  }
}

/** Sums of fractions depend on their order; sizes on disk on the files; `any` of several names of an address is any. */
function comparable(answer: unknown): unknown {
  return JSON.parse(
    JSON.stringify(answer, (key, value) => {
      if (key === 'size_bytes' || key === 'source') return undefined
      return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(9)) : value
    }),
  )
}

const filters = ['', 'method == "GET"', 'status >= 400', 'dst.svc == "svc-1" or dst.svc == "svc-2"']
const window = fc.constantFrom({}, { start: NOW + 20_000 }, { start: NOW + 10_000, end: NOW + 90_000 })
const limit = fc.constantFrom(1, 2, 3, 5, 10, 50, 1000)
const kfl = fc.constantFrom(...filters)
const groupBy = fc.constantFrom(
  ...(['service', 'workload', 'path', 'status', 'proto', 'src', 'dst', 'node', 'ns', 'time'] as const),
)

async function agrees<Name extends Parameters<typeof answerQuestion>[3]>(
  question: Name,
  input: Parameters<typeof answerQuestion<Name>>[4],
): Promise<void> {
  const expected = await answerQuestion(whole, catalog, NOW, question, input)
  for (const indexes of spread.values())
    expect(comparable(await askMerged(sourcesOf(indexes), question, input))).toEqual(comparable(expected))
}

describe('N sources equal one', () => {
  const runs = { seed: 23, numRuns: 8, endOnFailure: true }
  test('stats', () =>
    fc.assert(
      fc.asyncProperty(groupBy, limit, kfl, window, (group_by, limit, kfl, window) =>
        agrees('stats', {
          kfl,
          group_by,
          limit: group_by === 'time' ? Math.max(limit, 5) : limit,
          ...window,
        }),
      ),
      runs,
    ))

  test('stats in buckets of a given span', () =>
    fc.assert(
      fc.asyncProperty(kfl, fc.constantFrom(60_000, 600_000, 86_400_000), (kfl, length) =>
        agrees('stats', { kfl, group_by: 'time', limit: 50, span: { from: NOW, to: NOW + length } }),
      ),
      runs,
    ))

  test('flows', () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom(undefined, 'pod', 'service', 'namespace', 'node'),
        fc.constantFrom('bytes', 'packets', 'newest', 'key'),
        limit,
        window,
        (aggregate, order, limit, window) =>
          agrees('flows', { ...(aggregate && { aggregate }), order, limit, ...window }),
      ),
      runs,
    ))

  test('values', () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom('path', 'method', 'dst.svc', 'src.ip', 'status'),
        fc.constantFrom('', '1'),
        limit,
        kfl,
        (field, prefix, limit, kfl) => agrees('values', { field, prefix, limit, kfl }),
      ),
      runs,
    ))

  test('counts and the summary', async () => {
    for (const kfl of filters) await agrees('count', { kfl })
    await agrees('summary', {})
  })

  test('pages of calls, through the cursor to the end', () =>
    fc.assert(
      fc.asyncProperty(
        fc.constantFrom(7, 40, 1000),
        fc.constantFrom('newest', 'oldest'),
        kfl,
        async (limit, order, kfl) => {
          const query = { kfl, limit, order, format: 'compact' } as const
          const { calls: expected } = await answerQuestion(whole, catalog, NOW, 'calls', {
            ...query,
            limit: 1000,
          })
          for (const indexes of spread.values()) {
            const calls: unknown[] = []
            let cursor: string | undefined
            do {
              const input = { ...query, ...(cursor !== undefined && { cursor }) }
              const page = await askMerged(sourcesOf(indexes), 'calls', input)
              calls.push(...page.calls)
              cursor = page.next_cursor
            } while (cursor !== undefined)
            expect(calls).toEqual(expected)
          }
        },
      ),
      { seed: 23, numRuns: 4 },
    ))
})

test('percentiles of large groups are within 1 %, and say that they are estimates', async () => {
  const options = { node: 'one', captureSource: 'file', maxBytes: 0, memory: 128 * 1024 * 1024 }
  const open = (name: string) => openIndex(join(folder, name), options, catalog)
  const [all, ...parts] = await Promise.all(['all', 'left', 'right'].map(open))
  const next = numbers(5)
  for (let id = 1; id <= 3000; id++) {
    const flow = sampleFlow({ id, clientPort: id, start: DAWN + id })
    const call = sampleCall({ flow, start: DAWN + id, latency: Math.round(10 ** (2 + next() * 4)) })
    for (const index of [all!, parts[id % 3 ? 0 : 1]!]) index.append(call, samplePeers(flow))
  }
  for (const index of [all!, ...parts]) await index.flush()
  const input = { kfl: '', group_by: 'proto', limit: 5 } as const
  const { groups: exact } = await answerQuestion(all!, catalog, NOW, 'stats', input)
  const { groups } = await askMerged(sourcesOf(parts), 'stats', input)
  expect(groups[0]).toMatchObject({ calls: 3000, percentiles_are: 'estimate' })
  for (const name of ['latency_p50_ms', 'latency_p90_ms', 'latency_p99_ms'] as const)
    expect(Math.abs(groups[0]![name]! / exact[0]![name]! - 1)).toBeLessThan(0.01)
  for (const index of [all!, ...parts]) await index.close()
})
