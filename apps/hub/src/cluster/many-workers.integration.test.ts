import { afterAll, beforeAll, expect, test } from 'vitest'
import { ManyNodes } from '../testing/many-nodes.ts'
import { startHub, type TestHub } from '../testing/start-hub.ts'

const NODES = 200
const STUCK = 'n150'
const nodes = new ManyNodes(NODES)
let hub: TestHub

const never = () => new Promise<never>(() => {})
const stuck = { calls: never, stats: never, summary: never }

beforeAll(async () => {
  hub = await startHub({ set: ['tap.capture.dissection.enabled=true'] })
  for (let at = 0; at < NODES; at++) {
    const name = ManyNodes.nameOf(at)
    await hub.worker(name, { ...nodes.answersOf(at), ...(name === STUCK && stuck) }, { indexing: true })
  }
})
afterAll(() => hub.stop())

test('a page of 1,000 calls of 200 nodes is exact, of few rows, and lists the node that is stuck', async () => {
  const { json } = await hub.get('/mcp/calls?limit=1000')
  const times = json.calls.map(({ ts }: { readonly ts: number }) => ts)
  const expected = Array.from({ length: NODES * ManyNodes.callsOfEach }, (_, i) => i)
    .filter((i) => ManyNodes.nameOf(i % NODES) !== STUCK)
    .slice(-1000)
    .reverse()
    .map((i) => nodes.timeOf(0, 0) + i)
  expect(times).toEqual(expected)
  expect(nodes.asked.size).toBe(NODES - 1)
  expect(nodes.rows).toBeLessThan(8000)
  expect(json.missing_nodes).toEqual([{ name: STUCK, reason: expect.stringContaining(STUCK) }])
})

test('the first group over 200 nodes is the one that is first in sum, though it is first on none', async () => {
  const { json } = await hub.get('/mcp/stats?group_by=service&limit=1')
  expect(json.groups).toMatchObject([{ group: ManyNodes.shared, calls: 100 * (NODES - 1) }])
  expect(json.missing_nodes).toHaveLength(1)
})
