import { fork } from 'node:child_process'
import { join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { startHub, until } from '../apps/hub/src/testing/start-hub.ts'
import type { Order } from './many-nodes/workers.process.ts'

/**
 * What a query over 10, 50 and 200 nodes costs the hub: simulated workers in another process, over the real link, each
 * with 1,000 calls. Times are the middle of several runs; processor time is that of the hub, and depends less on other load.
 */
const SIZES = [10, 50, 200]
const RUNS = 15
const questions = {
  'a page of 100 calls': '/mcp/calls?limit=100',
  'a page of 1,000 calls': '/mcp/calls?limit=1000',
  'first 10 services': '/mcp/stats?group_by=service&limit=10',
  'data boundaries': '/mcp/data-boundaries',
}

for (const nodes of SIZES) {
  const hub = await startHub({ set: ['tap.capture.dissection.enabled=true'] })
  const port = await hub.open()
  const empty = heap()
  const workers = fork(join(import.meta.dirname, 'many-nodes', 'workers.mjs'))
  try {
    workers.send({ port, nodes } satisfies Order)
    await until(
      async () => (await hub.get('/mcp/data-boundaries')).json.nodes.length,
      (found) => found === nodes,
    )
    const joined = heap()
    console.log(`${nodes} nodes: ${((joined - empty) / 2 ** 20).toFixed(1)} MB of heap for their links`)
    let most = 0
    for (const [title, path] of Object.entries(questions)) {
      const times: number[] = []
      const before = process.cpuUsage()
      for (let run = 0; run < RUNS; run++) {
        const began = performance.now()
        const { status, text } = await hub.get(path)
        times.push(performance.now() - began)
        most = Math.max(most, process.memoryUsage().heapUsed)
        if (status !== 200 || text.includes('"missing_nodes":[{'))
          throw new Error(`${path} over ${nodes} nodes: ${status} ${text.slice(0, 300)}`)
      }
      const middle = times.toSorted((a, b) => a - b)[RUNS >> 1]!
      const { user, system } = process.cpuUsage(before)
      const processor = (user + system) / 1000 / RUNS
      console.log(
        `  ${title.padEnd(24)} ${middle.toFixed(1).padStart(7)} ms, processor ${processor.toFixed(1).padStart(6)} ms`,
      )
    }
    const kept = ((heap() - joined) / 2 ** 20).toFixed(1)
    console.log(`  heap: at most ${(most / 2 ** 20).toFixed(0)} MB while asked, ${kept} MB more afterwards`)
  } finally {
    workers.kill()
    await hub.stop()
  }
}

function heap(): number {
  globalThis.gc?.()
  return process.memoryUsage().heapUsed
}
