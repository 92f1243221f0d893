import { afterAll, beforeAll, expect, it } from 'vitest'
import { IndexWorker } from '../testing/index-worker.ts'
import { startHub, type TestHub } from '../testing/start-hub.ts'

const AT = Date.UTC(2026, 0, 1)
const NODES = ['n0', 'n1']
let hub: TestHub
const workers: IndexWorker[] = []

beforeAll(async () => {
  hub = await startHub()
  for (const node of NODES) {
    const worker = await IndexWorker.open(node)
    workers.push(worker)
    // Both see the same exchange, and do not know the nodes of its ends.
    await worker.add([{ at: AT, service: 'api', path: '/twice' }])
    await hub.worker(node, worker.answers)
  }
}, 60_000)
afterAll(async () => {
  await hub?.stop()
  for (const worker of workers) await worker.close()
})

const answers = ['/mcp/calls?', '/mcp/stats?group_by=service&', '/mcp/flows?']

it.each(answers)('%s counts the calls that it may have twice', async (path) => {
  const { json } = await hub.get(`${path}limit=10`)
  expect(json.undecided_ownership).toBe(2)
})

it('counts only those of the filter', async () => {
  const kfl = encodeURIComponent('path == "/other"')
  const { json } = await hub.get(`/mcp/calls?limit=10&kfl=${kfl}`)
  expect(json.undecided_ownership).toBeUndefined()
})
