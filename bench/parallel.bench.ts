import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isMainThread } from 'node:worker_threads'
import type { Call } from '@tapdeck/dissect'
import { RestartableDissection, ShardPool, serveShard } from '@tapdeck/parallel'
import { readPlainFile } from '@tapdeck/recording'
import { CaptureReader, chunkMemory, type Shard } from '@tapdeck/wire'
import { buffersOf, type CallBatch } from '../apps/cli/src/dissect/call-batch.ts'
import { CallSorter } from '../apps/cli/src/dissect/call-sorter.ts'
import { DissectWork } from '../apps/cli/src/dissect/dissect-work.ts'
import { compileFilter } from '../apps/cli/src/dissect/filter-option.ts'
import { CaptureFile } from './peers/capture-file.ts'
import { dns } from './peers/dns-workload.ts'
import { keepAlive } from './peers/http-workload.ts'
import { BODY, PackedCalls } from './peers/packed-calls.ts'
import { postgresql } from './peers/postgresql-workload.ts'
import { redis } from './peers/redis-workload.ts'

/*
 * One capture file by one thread and by several, on the wall's clock with the start of the program, best of several rounds
 * that take turns: calls packed as the index takes them, and lines of JSON in order of time. Only on idle cores is the
 * ratio that of the code: other load takes its share of the second.
 * TAPDECK_BENCH_MB, default 500; TAPDECK_BENCH_ROUNDS, default 3; TAPDECK_BENCH_THREADS, default 2.
 */
const MB = Number(process.env.TAPDECK_BENCH_MB ?? 500)
const ROUNDS = Number(process.env.TAPDECK_BENCH_ROUNDS ?? 3)
const THREADS = Number(process.env.TAPDECK_BENCH_THREADS ?? 2)
const settings = {
  inventory: { pods: [], services: [] },
  kfl: '',
  now: 1_700_000_000_000,
  shape: 'full',
  keyLog: '',
} as const

type Goal = 'calls' | 'ndjson'

interface Measured {
  readonly seen: number
  readonly seconds: number
  /** Processor time, in seconds. */
  readonly busy: number
}

/** Calls as the index takes them. */
class Packing {
  readonly packed = new PackedCalls()
  readonly series: RestartableDissection

  constructor(shard?: Shard) {
    const emit = (call: Call) => this.packed.add(call)
    this.series = new RestartableDissection({ emit, limits: { body: BODY } }, shard)
  }
}

async function readShare(file: string, work: RestartableDissection, threads: number): Promise<void> {
  const reader = new CaptureReader(work, {})
  const stage = threads > 1 ? () => chunkMemory.borrowReadBuffer() : undefined
  for await (const chunk of readPlainFile(file, statSync(file).size, stage)) reader.push(chunk, true)
  reader.end()
  if (work instanceof DissectWork) work.finish()
  else work.end()
}

/** One share of the work is done by this thread, the others by a pool. */
async function read(file: string, goal: Goal, threads: number): Promise<number> {
  const sorter = new CallSorter(compileFilter('', settings.now), 'full')
  const [own, ...others] = Array.from({ length: threads }, (_, index) => ({ index, count: threads }))
  const pool = new ShardPool({
    shards: others,
    entry: new URL(import.meta.url),
    data: [file, goal],
    take(result, shard, release) {
      sorter.add(result as CallBatch, shard)
      release()
    },
  })
  const shard = threads === 1 ? undefined : own
  if (goal === 'ndjson') {
    await readShare(
      file,
      new DissectWork(settings, { batch: (batch) => sorter.add(batch, 0), fault: fail }, shard),
      threads,
    )
    await pool.end()
    await pool.stop()
    return linesOf(sorter)
  }
  const packing = new Packing(shard)
  await readShare(file, packing.series, threads)
  const found = await pool.end()
  await pool.stop()
  return found.reduce<number>((sum, calls) => sum + Number(calls), packing.packed.count)
}

function linesOf(sorter: CallSorter): number {
  let lines = 0
  for (const page of sorter.pages())
    for (let at = page.indexOf(10); at >= 0; at = page.indexOf(10, at + 1)) lines++
  sorter.close()
  return lines
}

function fail(protocol: string, error: string): void {
  throw new Error(`${protocol}: ${error}`)
}

/** In a separate process: dissecting a file starts with cold code, with threads or without. */
function measured(...given: [file: string, goal: Goal, threads: number]): Measured {
  const { stdout, status } = spawnSync(
    process.execPath,
    [fileURLToPath(import.meta.url), JSON.stringify(given)],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
  )
  if (status !== 0) throw new Error(`a measurement ended with status ${status}`)
  return JSON.parse(stdout) as Measured
}

async function measure(file: string, goal: Goal, threads: number): Promise<void> {
  const before = process.cpuUsage()
  const start = performance.now()
  const seen = await read(file, goal, threads)
  const seconds = (performance.now() - start) / 1000
  const { user, system } = process.cpuUsage(before)
  console.log(JSON.stringify({ seen, seconds, busy: (user + system) / 1e6 } satisfies Measured))
}

function main(): void {
  const folder = mkdtempSync(join(tmpdir(), 'tapdeck-bench-'))
  console.log(`${THREADS} threads on ${availableParallelism()} cores, best of ${ROUNDS}`)
  try {
    for (const workload of [keepAlive, redis, postgresql, dns]) {
      const file = join(folder, 'capture.pcap')
      const out = new CaptureFile(file)
      const calls = workload.write(out, MB * 1e6)
      out.close()
      const { size } = statSync(file)
      console.log(`${workload.name}: ${Math.round(size / 1e6)} MB, ${calls} calls`)
      for (const goal of ['calls', 'ndjson'] as const) compare(file, goal, calls, size)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function compare(file: string, goal: Goal, calls: number, size: number): void {
  const best = new Map<number, number>()
  const work = new Map<number, number>()
  for (let round = 0; round < ROUNDS; round++)
    for (const threads of [1, THREADS]) {
      const { seen, seconds, busy } = measured(file, goal, threads)
      work.set(threads, Math.min(work.get(threads) ?? Number.POSITIVE_INFINITY, busy))
      if (seen !== calls) throw new Error(`${seen} calls instead of ${calls} with ${threads} threads`)
      best.set(threads, Math.min(best.get(threads) ?? Number.POSITIVE_INFINITY, seconds))
    }
  const [one, several] = [best.get(1)!, best.get(THREADS)!]
  const rate = (seconds: number) => `${Math.round(size / 1e6 / seconds)} MB/s`.padStart(9)
  const more = (work.get(THREADS)! / work.get(1)! - 1) * 100
  console.log(
    `  ${goal.padEnd(8)} one ${rate(one)}   ${THREADS} threads ${rate(several)}   ${(one / several).toFixed(2)} times` +
      `   (processor time ${more >= 0 ? '+' : ''}${more.toFixed(0)} %)`,
  )
}

const [, , order] = process.argv
if (isMainThread && order !== undefined) await measure(...(JSON.parse(order) as [string, Goal, number]))
else if (isMainThread) main()
else
  serveShard(async ({ shard, data, send }) => {
    const [file, goal] = data as [string, Goal]
    if (goal === 'ndjson') {
      const batch = (one: CallBatch) => {
        const { bytes, buffers } = buffersOf(one)
        send(one, bytes, buffers)
        return undefined
      }
      return readShare(file, new DissectWork(settings, { batch, fault: fail }, shard), shard.count)
    }
    const packing = new Packing(shard)
    await readShare(file, packing.series, shard.count)
    return packing.packed.count
  })
