import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CaptureFile } from '../peers/capture-file.ts'
import { runChild } from '../peers/child.ts'
import { manyConnections } from '../peers/many-connections.ts'
import type { OwnResult } from '../peers/own-run.ts'
import { GrowthTable } from './growth-table.ts'
import { sizes } from './sizes.ts'

const DISSECT = join(import.meta.dirname, 'growth', 'dissect.mjs')
/** `manyConnections` puts so many into a gigabyte. */
const BYTES_A_CONNECTION = 1e9 / 200_000

/** Connections that are all open at once, each with three calls, through the dissection in one thread. */
export async function growConnections(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'tapdeck-growth-'))
  const table = new GrowthTable('connections open at once')
  const program = await measure(folder, 1)
  try {
    for (const connections of sizes(10_000, 20_000, 50_000, 100_000, 200_000)) {
      const { calls, megabytes, seconds, peak } = await measure(folder, connections)
      table.add(connections, {
        'capture, MB': megabytes,
        calls,
        'memory, MB at most': peak,
        'bytes a connection': ((peak - program.peak) * 2 ** 20) / connections,
        'processor, s': seconds,
        'calls a second of processor time': calls / (seconds - program.seconds),
      })
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
  console.log(
    `One connection: ${program.peak} MB, ${program.seconds.toFixed(2)} s; "bytes a connection" is above that.`,
  )
  table.print()
  table.draw(
    'growth-connections.svg',
    { title: 'Memory by connections open at once', x: 'connections', y: 'MB' },
    ['memory, MB at most'],
  )
}

async function measure(folder: string, connections: number) {
  const path = join(folder, `${connections}.pcap`)
  const out = new CaptureFile(path)
  const expected = manyConnections.write(out, connections * BYTES_A_CONNECTION)
  out.close()
  const megabytes = statSync(path).size / 1e6
  const run = runChild(process.execPath, [DISSECT, path])
  rmSync(path)
  if (run === undefined) throw new Error('no node')
  const { calls, peak } = JSON.parse(run.output) as OwnResult
  if (calls !== expected) throw new Error(`${calls} calls instead of ${expected}`)
  return { calls, megabytes, seconds: run.seconds, peak }
}
