import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Exchange, IndexWorker } from '../testing/index-worker.ts'
import { startHub, type TestHub } from '../testing/start-hub.ts'

const DAWN = Date.UTC(2026, 0, 1)
const workers: IndexWorker[] = []
let hub: TestHub

/** 10 calls of each node, each answered after 5 ms, or reset after half a second. */
const exchanges = (broken: number): Exchange[] =>
  Array.from({ length: 10 }, (_, at) => ({
    ...{ at: DAWN + at * 1000, service: 'orders' },
    ...(at < broken ? { latency: 500, ending: 'rst' as const } : { latency: 5 }),
  }))

beforeAll(async () => {
  hub = await startHub()
  for (const [node, broken] of [
    ['n1', 4],
    ['n2', 2],
  ] as const) {
    const worker = await IndexWorker.open(node)
    workers.push(worker)
    await worker.add(exchanges(broken))
    await hub.worker(node, worker.answers)
  }
})
afterAll(async () => {
  await hub?.stop()
  for (const worker of workers) await worker.close()
})

it('has the waiting time of unanswered requests in columns, and in percentiles where asked for', async () => {
  const [plain] = (await hub.get('/api/stats?group_by=service,proto')).json.groups
  expect(plain).toMatchObject({ calls: 20, unanswered: 6 })
  for (const name of ['waited_avg_ms', 'waited_max_ms']) expect(plain[name]).toBeCloseTo(500, -1)
  expect(plain.latency_p90_ms).toBeLessThan(10)
  const [all] = (await hub.get('/api/stats?group_by=service,proto&include_unanswered=true')).json.groups
  expect(all.latency_p90_ms).toBeGreaterThan(450)
  expect(all.latency_p50_ms).toBeLessThan(10)
  const [single] = (await hub.get('/api/stats?include_unanswered=true')).json.groups
  expect(single).toMatchObject({ unanswered: 6 })
  expect(single.latency_p90_ms).toBeGreaterThan(450)
})
