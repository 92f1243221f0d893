import { afterAll, beforeAll, expect, it } from 'vitest'
import { startHub, type TestHub } from '../testing/start-hub.ts'

const DAWN = Date.UTC(2026, 0, 1)
const MINUTE = 60_000
const windows = `a_start=${DAWN}&a_end=${DAWN + MINUTE}&b_start=${DAWN + MINUTE}&b_end=${DAWN + 2 * MINUTE}`
const GROUPS = 60

let hub: TestHub
let counts = 0
/** When the other caller's question reached the node. */
let countsBefore: number | undefined
/** Counts that the node has and does not answer yet. */
const held: (() => void)[] = []

/** All groups seem slower in the second minute. */
function groupsFrom(start: number | undefined) {
  const latency = start === DAWN ? 10 : 100
  return Array.from({ length: GROUPS }, (_, at) => ({
    ...{ group: `service-${at}`, calls: 100, errors: 0, capture_errors: 0, rate: 1, bytes: 100 },
    ...{ latency_p50_ms: latency, latency_p90_ms: latency, latency_p95_ms: latency, latency_p99_ms: latency },
  }))
}

beforeAll(async () => {
  hub = await startHub()
  await hub.worker('n1', {
    summary: () => ({
      ...{ calls: 100, flows: 1, oldest_ts: DAWN, newest_ts: DAWN + 2 * MINUTE },
      ...{ size_bytes: 1, by_protocol: {} },
    }),
    stats: ({ start }) => {
      if (start === undefined) countsBefore = counts
      return { groups: groupsFrom(start) }
    },
    count: () => {
      counts++
      return new Promise((resolve) => held.push(() => resolve({ count: 0 })))
    },
  })
})
afterAll(() => hub?.stop())

it('a comparison of many groups lets other callers ask the node in between', async () => {
  let isCompared = false
  const compared = hub.get(`/mcp/diff?${windows}`).finally(() => {
    isCompared = true
  })
  await expect.poll(() => held.length).toBe(4)
  const other = hub.get('/mcp/stats')
  // The question of the other one waits for its turn by now.
  await hub.get('/healthz')
  while (!isCompared) {
    await expect.poll(() => held.length > 0 || isCompared).toBe(true)
    held.shift()?.()
  }
  expect((await compared).status).toBe(200)
  expect((await other).status).toBe(200)
  expect(counts).toBe(2 * GROUPS)
  expect(countsBefore).toBeLessThan(GROUPS)
})
