import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Answers } from '../testing/fake-worker.ts'
import { startHub, type TestHub } from '../testing/start-hub.ts'

const NODES = 200
const CALLS_A_NODE = 1000
const STUCK = 'n150'
const SHARED = 'everywhere'
let hub: TestHub
/** Rows of calls that all nodes have sent, and which nodes were asked. */
let rows = 0
const asked = new Set<string>()

const name = (at: number) => `n${String(at).padStart(3, '0')}`
const peer = { ip: '10.0.0.1', port: 80 }
const never = () => new Promise<never>(() => {})

/** Made-up data of a node: calls at times of its own, a large group of its own, and a small one that all nodes have. */
function answersOf(node: string, at: number): Answers {
  const timeOf = (i: number) => 1_700_000_000_000 + i * NODES + at
  const figures = { errors: 0, capture_errors: 0, rate: 1, bytes: 10 }
  const groups = [
    { group: `own-${node}`, calls: 150, ...figures },
    { group: SHARED, calls: 100, ...figures },
  ]
  return {
    calls({ limit, cursor }) {
      asked.add(node)
      const from = cursor === undefined ? CALLS_A_NODE - 1 : Number(cursor) - 1
      const found = Array.from({ length: Math.min(limit, from + 1) }, (_, i) => from - i)
      rows += found.length
      return {
        calls: found.map((i) => ({
          id: `${node}/${i}/0`,
          ts: timeOf(i),
          src: peer,
          dst: peer,
          proto: 'http',
        })),
        cursors: found.map(String),
        total: CALLS_A_NODE,
        total_is: 'exact',
        ...((found.at(-1) ?? 0) > 0 && { next_cursor: String(found.at(-1)) }),
      }
    },
    stats: ({ limit, at_least = 0, only }) => ({
      groups: groups
        .filter(({ calls, group }) => calls >= at_least && (only?.some((one) => one.group === group) ?? true))
        .slice(0, limit),
    }),
    summary: () => ({
      calls: CALLS_A_NODE,
      flows: 0,
      oldest_ts: timeOf(0),
      newest_ts: timeOf(CALLS_A_NODE - 1),
      size_bytes: 1,
      by_protocol: {},
    }),
    ...(node === STUCK && { calls: never, stats: never, summary: never }),
  }
}

beforeAll(async () => {
  hub = await startHub({ set: ['tap.capture.dissection.enabled=true'] })
  for (let at = 0; at < NODES; at++) await hub.worker(name(at), answersOf(name(at), at), { indexing: true })
})
afterAll(() => hub.stop())

test('a page of 1,000 calls of 200 nodes is exact, of few rows, and lists the node that is stuck', async () => {
  const { json } = await hub.get('/mcp/calls?limit=1000')
  const times = json.calls.map(({ ts }: { readonly ts: number }) => ts)
  const expected = Array.from({ length: NODES * CALLS_A_NODE }, (_, i) => i)
    .filter((i) => name(i % NODES) !== STUCK)
    .slice(-1000)
    .reverse()
    .map((i) => 1_700_000_000_000 + i)
  expect(times).toEqual(expected)
  expect(asked.size).toBe(NODES - 1)
  expect(rows).toBeLessThan(8000)
  expect(json.missing_nodes).toEqual([{ name: STUCK, reason: expect.stringContaining(STUCK) }])
})

test('the first group over 200 nodes is the one that is first in sum, though it is first on none', async () => {
  const { json } = await hub.get('/mcp/stats?group_by=service&limit=1')
  expect(json.groups).toMatchObject([{ group: SHARED, calls: 100 * (NODES - 1) }])
  expect(json.missing_nodes).toHaveLength(1)
})
