import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { protocols } from '@tapdeck/dissect'
import { openIndex, ParquetFolder } from '@tapdeck/index'
import { createCatalog } from '@tapdeck/kfl'
import type { Flow } from '@tapdeck/wire'
import { exportFlows } from '../apps/cli/src/export/export-flows.ts'
import { flowColumns } from '../apps/cli/src/export/flow-table.ts'
import { HubClient } from '../apps/cli/src/hub/hub-client.ts'
import { IndexWorker } from '../apps/hub/src/testing/index-worker.ts'
import { startHub } from '../apps/hub/src/testing/start-hub.ts'
import { GrowthTable } from './growth/growth-table.ts'
import { sizes } from './growth/sizes.ts'

/*
 * What `tapdeck export --parquet` of flows costs as their number grows: the index of one node, a hub, and the pages over HTTP, all in
 * this process. Each flow has a client and a server of its own, so it is a row. TAPDECK_BENCH_STEPS: other sizes.
 */
const START = 1_767_225_600_000_000
const FLUSH_EVERY = 10_000
const MEMORY = 256 * 1024 * 1024

const table = new GrowthTable('flows')
for (const size of sizes(100_000, 1_000_000)) table.add(size, await measure(size))
table.print()

async function measure(size: number): Promise<Record<string, number>> {
  const folder = mkdtempSync(join(tmpdir(), 'tapdeck-flow-export-'))
  const options = { node: 'n1', captureSource: 'file', maxBytes: 0, memory: MEMORY }
  const index = await openIndex(join(folder, 'index'), options, createCatalog(protocols))
  const hub = await startHub()
  try {
    for (let i = 0; i < size; i++) {
      const flow = madeFlow(i)
      index.appendFlow(flow, { src: { ...flow.ends[0], pod: `web-${i % 5000}` }, dst: flow.ends[1] })
      if (i % FLUSH_EVERY === FLUSH_EVERY - 1) await index.flush()
    }
    await index.flush()
    await hub.worker('n1', IndexWorker.answersFrom(index))
    const pages: number[] = []
    let last = performance.now()
    const began = last
    const before = process.cpuUsage()
    const client = new HubClient(`http://127.0.0.1:${hub.port}`)
    const written = await ParquetFolder.open(join(folder, 'flows'), flowColumns)
    const { rows } = await exportFlows(client, written, {
      ...{ db: undefined, start: undefined, end: String(Date.now()), maxFlows: 2 * size },
      progress: () => {
        pages.push(performance.now() - last)
        last = performance.now()
      },
    })
    if (rows !== size) throw new Error(`${rows} rows instead of ${size}`)
    const { user, system } = process.cpuUsage(before)
    const passed = performance.now() - began
    return {
      'export, s': passed / 1000,
      'a flow, µs': (passed * 1000) / size,
      'processor of a flow, µs': (user + system) / size,
      'first page, ms': pages.at(0) ?? 0,
      'last page, ms': pages.at(-1) ?? 0,
    }
  } finally {
    await hub.stop()
    await index.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function madeFlow(i: number): Flow {
  const half = () => ({ packets: 10, bytes: 9000, goodput: 8000, missing: 0 })
  return {
    id: i + 1,
    transport: 'udp',
    ends: [
      { ip: `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`, port: 40_000 },
      { ip: `10.200.${i % 100}.1`, port: 8000 + (i % 100) },
    ],
    midstream: false,
    start: START + i,
    last: START + i + 1000,
    directions: [half(), half()],
    state: undefined,
  }
}
