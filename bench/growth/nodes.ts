import { fork } from 'node:child_process'
import { join } from 'node:path'
import { startHub, type TestHub, until } from '../../apps/hub/src/testing/start-hub.ts'
import { GrowthTable } from './growth-table.ts'
import { percentile } from './percentile.ts'
import { sizes } from './sizes.ts'
import type { Order } from './workers.process.ts'

const WORKERS = join(import.meta.dirname, 'growth', 'workers.mjs')
const RUNS = 51
const WARM_UP = 10
const questions = {
  'page of 100': '/mcp/calls?limit=100',
  'page of 1,000': '/mcp/calls?limit=1000',
  'first 10 services': '/mcp/stats?group_by=service&limit=10',
  'data boundaries': '/mcp/data-boundaries',
}

/**
 * What a question costs a hub: simulated workers in another process, over the real link, each with 1,000 calls. Processor time is that
 * of the hub alone, and depends less on other load than times do.
 */
export async function growNodes(): Promise<void> {
  const table = new GrowthTable('nodes')
  for (const nodes of sizes(1, 5, 20, 50, 100, 200)) table.add(nodes, await measure(nodes))
  table.print()
  const titles = Object.keys(questions)
  const log = ['x', 'y'] as const
  table.draw(
    'growth-nodes-time.svg',
    { title: 'Time of a question by nodes (dashed: p95)', x: 'nodes', y: 'ms', log },
    titles.map((title) => `${title}, p50 ms`),
    (name) => name.replace('p50', 'p95'),
  )
  table.draw(
    'growth-nodes-processor.svg',
    { title: 'Processor time of the hub for a question, by nodes', x: 'nodes', y: 'ms', log },
    titles.map((title) => `${title}, ms of processor`),
  )
}

async function measure(nodes: number): Promise<Record<string, number>> {
  const hub = await startHub({ set: ['tap.capture.dissection.enabled=true'] })
  const port = await hub.open()
  const empty = memory()
  const workers = fork(WORKERS)
  try {
    workers.send({ port, nodes } satisfies Order)
    await until(
      async () => (await hub.get('/mcp/data-boundaries')).json.nodes.length,
      (found) => found === nodes,
    )
    const joined = memory()
    let most = 0
    const costs: Record<string, number> = {}
    for (const [title, path] of Object.entries(questions)) {
      for (let run = 0; run < WARM_UP; run++) await ask(hub, path)
      const times: number[] = []
      const before = process.cpuUsage()
      for (let run = 0; run < RUNS; run++) {
        const began = performance.now()
        await ask(hub, path)
        times.push(performance.now() - began)
        most = Math.max(most, process.memoryUsage().heapUsed)
      }
      const { user, system } = process.cpuUsage(before)
      costs[`${title}, p50 ms`] = percentile(times, 0.5)
      costs[`${title}, p95 ms`] = percentile(times, 0.95)
      costs[`${title}, ms of processor`] = (user + system) / 1000 / RUNS
    }
    return {
      ...costs,
      'heap, MB at most': most / 2 ** 20,
      'heap of the links, MB': (joined - empty) / 2 ** 20,
      'heap after the questions, MB more': (memory() - joined) / 2 ** 20,
    }
  } finally {
    workers.kill()
    await hub.stop()
  }
}

async function ask(hub: TestHub, path: string): Promise<void> {
  const { status, text } = await hub.get(path)
  if (status !== 200 || text.includes('"missing_nodes":[{'))
    throw new Error(`${path}: ${status} ${text.slice(0, 300)}`)
}

function memory(): number {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}
