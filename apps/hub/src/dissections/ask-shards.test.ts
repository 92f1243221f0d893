import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { protocols } from '@tapdeck/dissect'
import type { CallIndex } from '@tapdeck/index'
import { createCatalog } from '@tapdeck/kfl'
import { mixedTraffic } from '@tapdeck/parallel/testing'
import type { FlowPage, FlowQuery } from '@tapdeck/questions'
import { Conversation } from '@tapdeck/wire/testing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { answerQuestion } from '../query/answer-question.ts'
import { captureFile } from '../testing/http-capture.ts'
import { askShards, type Shards } from './ask-shards.ts'
import { dissectShare } from './dissect-share.ts'
import type { DissectionTask } from './dissection-task.ts'
import { openNodeIndex } from './node-index.ts'

const SHARDS = 3
const START = 1_700_000_000_000_000
const catalog = createCatalog(protocols)
let folder: string
/** One with all flows, and some that have them between them. */
let whole: CallIndex
let parts: CallIndex[]

/** One pair of peers in many flows, whose handshakes and names differ, and one that only one shard has. */
function pairs() {
  return Array.from({ length: 40 }, (_, number) => {
    const start = START + number * 30_000_000
    const talk = new Conversation({
      client: '10.5.0.1',
      server: '10.5.0.2',
      clientPort: 40_000 + number,
      serverPort: 80,
      start,
      step: 100 + number * 10,
    })
    if (number % 4 > 0) talk.handshake()
    return talk
      .send(0, `GET /only/${number} HTTP/1.1\r\nHost: shop\r\n\r\n`)
      .send(1, 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi')
      .close().packets
  }).flat()
}

const pod = (name: string, when: { readonly from?: number; readonly until?: number }) => ({
  ...{ name, namespace: 'shop', ips: ['10.5.0.1'] },
  ...when,
})

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapdeck-merge-'))
  const packets = [...mixedTraffic(5, 150), ...pairs()].sort((a, b) => a.time - b.time)
  const bytes = captureFile(packets)
  const half = START / 1000 + 600_000
  const task: DissectionTask = {
    files: [],
    folder,
    inventory: { pods: [pod('web-1', { until: half }), pod('web-2', { from: half })], services: [] },
    kfl: '',
    now: 0,
    threads: 1,
    bodyBytes: 1024,
    redaction: {
      ...{ headers: [], query: [], json: [], sqlLiterals: false, detect: [], patterns: [] },
      bodies: false,
    },
    decrypt: false,
    captureSource: 'file',
    memory: 256 * 1024 * 1024,
  }
  const fill = async (name: string, shard?: { readonly index: number; readonly count: number }) => {
    const index = await openNodeIndex(join(folder, name), task, 'one', catalog)
    const chunks = (async function* () {
      yield bytes
    })()
    await dissectShare(chunks, { task, catalog, node: 'one', index, shard, onProgress: () => undefined })
    return index
  }
  whole = await fill('whole')
  parts = await Promise.all(
    Array.from({ length: SHARDS }, (_, index) => fill(`share-${index}`, { index, count: SHARDS })),
  )
})
afterAll(async () => {
  for (const index of [whole, ...parts]) await index.close()
  await rm(folder, { recursive: true })
})

const shards: Shards = {
  count: SHARDS,
  ask: (question, input, handshakes) =>
    Promise.all(
      parts.map((index) => {
        if (handshakes) index.adoptHandshakes(handshakes)
        return answerQuestion(index, catalog, question, input)
      }),
    ),
  handshakes: () => Promise.all(parts.map((index) => index.handshakeCounts())),
}

const flowsOf = async (input: FlowQuery) => [
  await answerQuestion(whole, catalog, 'flows', input),
  await askShards(shards, 'flows', input),
]

/** Without names, which are those of any of several flows; rates as far as they are added in the same order. */
const exact = (row: object) =>
  JSON.parse(
    JSON.stringify(row, (key, value) => {
      if (/^(pod|svc|ns|node|source)$/.test(key)) return undefined
      // The mean of several means is rounded in another order.
      if (key === 'open_last_ts') return Math.round(value)
      return /^(rate|pps|bps|latency_p\d\d_ms)$/.test(key) ? Number(value.toPrecision(6)) : value
    }),
  )

describe('of several indexes that share no flow', () => {
  it.each(['proto', 'path', 'status', 'src', 'dst', 'ns', 'time'] as const)(
    'stats by %s are those of one',
    async (group_by) => {
      for (const limit of [3, 1000]) {
        const input = { kfl: '', group_by, limit }
        const { groups } = await answerQuestion(whole, catalog, 'stats', input)
        expect(groups.length).toBeGreaterThan(0)
        const merged = await askShards(shards, 'stats', input)
        expect(merged.groups.map((group) => exact(group as object))).toEqual(
          groups.map((group) => exact(group as object)),
        )
      }
    },
  )

  it('stats of a part of the time have its rates and buckets', async () => {
    const window = { start: START / 1000 + 10_000, end: START / 1000 + 400_000 }
    for (const group_by of ['proto', 'time'] as const) {
      const input = { kfl: 'http', group_by, limit: 50, ...window }
      const [one, merged] = [
        await answerQuestion(whole, catalog, 'stats', input),
        await askShards(shards, 'stats', input),
      ]
      expect(exact(merged)).toEqual(exact(one))
    }
  })

  it.each([undefined, 'pod', 'service', 'namespace', 'node'] as const)(
    'flows by %s are those of one, however few are shown',
    async (aggregate) => {
      for (const order of ['bytes', 'packets'] as const)
        for (const limit of [2, 1000]) {
          const [one, merged] = await flowsOf({ limit, order, ...(aggregate && { aggregate }) })
          expect(merged!.total).toBe(one!.total)
          const byText = (rows: readonly object[]) => rows.map((row) => JSON.stringify(exact(row))).sort()
          expect(byText(merged!.flows)).toEqual(byText(one!.flows))
        }
    },
  )

  it('handshakes of flows that several have are those of one', async () => {
    const [one, merged] = await flowsOf({ limit: 1, order: 'newest', ip: '10.5.0.1' })
    const p50 = ({ flows }: FlowPage) => flows[0]!.client_stats.tcp_handshake_p50_us!
    expect(p50(merged!)).toBe(p50(one!))
    expect(merged!.flows[0]!.client_stats).not.toHaveProperty('percentiles_are')
  })

  it('calls have the handshakes of all connections to their destination, and filters ask for those', async () => {
    const input = { kfl: 'tcp_handshake_p90_us > 0', limit: 1000, order: 'oldest', format: 'full' } as const
    const { calls } = await answerQuestion(whole, catalog, 'calls', input)
    expect(calls.length).toBeGreaterThan(20)
    const toJson = (all: readonly unknown[]) => all.map((call) => JSON.parse(JSON.stringify(call)))
    expect(toJson((await askShards(shards, 'calls', input)).calls)).toEqual(toJson(calls))
    const first = calls[0] as { readonly id: string; readonly tcp_handshake_p90_us: number }
    expect(await askShards(shards, 'call', { id: first.id })).toMatchObject({
      call: { tcp_handshake_p90_us: first.tcp_handshake_p90_us },
    })
    const kfl = `tcp_handshake_p90_us == ${first.tcp_handshake_p90_us}`
    expect(await askShards(shards, 'count', { kfl })).toEqual(
      await answerQuestion(whole, catalog, 'count', { kfl }),
    )
  })

  it.each(['path', 'status', 'method', 'dst.ip'])('values of %s are those of one', async (field) => {
    for (const limit of [3, 1000]) {
      const input = { field, prefix: '', kfl: '', limit }
      const { values } = await answerQuestion(whole, catalog, 'values', input)
      expect(values.length).toBeGreaterThan(1)
      expect(await askShards(shards, 'values', input)).toEqual({ values })
    }
  })

  it('counts, summaries and pages are those of one', async () => {
    for (const kfl of ['', 'request.body contains "hello"']) {
      const input = { kfl }
      expect(await askShards(shards, 'count', input)).toEqual(
        await answerQuestion(whole, catalog, 'count', input),
      )
      for (const order of ['newest', 'oldest'] as const) {
        const ids: unknown[] = []
        for (let cursor: string | undefined; ; ) {
          const page = { kfl, limit: 97, order, format: 'compact', ...(cursor && { cursor }) } as const
          const merged = await askShards(shards, 'calls', page)
          ids.push(...merged.calls.map((call) => (call as { readonly id: string }).id))
          cursor = merged.next_cursor
          if (cursor === undefined) break
        }
        const all = { kfl, limit: 10_000, order, format: 'compact' } as const
        const { calls } = await answerQuestion(whole, catalog, 'calls', all)
        expect(ids).toEqual(calls.map((call) => (call as { readonly id: string }).id))
      }
    }
    const { size_bytes, ...summary } = await answerQuestion(whole, catalog, 'summary', {})
    expect(await askShards(shards, 'summary', {})).toMatchObject(summary)
  })
})
