import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { protocols } from '@tapdeck/dissect'
import { type CallIndex, openIndex } from '@tapdeck/index'
import { compile, createCatalog } from '@tapdeck/kfl'
import { lineChart, type Series } from './charts/line-chart.ts'
import { below, makeCall } from './made-calls.ts'
import { folderSize } from './soak/sample.ts'

/*
 * What history costs as it grows: one index that is written further and asked again at each size. Disk, processor time of a
 * written call, memory, and p50 and p95 of questions. TAPDECK_BENCH_STEPS: sizes (1000000,3000000,10000000; 100000000 needs
 * about 60 GB). TAPDECK_BENCH_PICTURES: a folder for charts. Nodes are in the bench `many-nodes`, connections in `peers`.
 */
const STEPS = (process.env.TAPDECK_BENCH_STEPS ?? '1000000,3000000,10000000').split(',').map(Number)
const pictures = process.env.TAPDECK_BENCH_PICTURES
const RUNS = 21
const AT_ONCE = 500
const FLUSH_EVERY = 50_000
const catalog = createCatalog(protocols)
const folder = mkdtempSync(join(tmpdir(), 'tapdeck-growth-'))
const options = { node: 'node-1', captureSource: 'file', maxBytes: 0, memory: 1024 ** 3 }

const filter = (text: string) => compile(text, catalog)
const newest = { limit: 100, order: 'newest' as const }
const questions: Record<string, (index: CallIndex) => Promise<unknown>> = {
  'newest 100': (index) => index.calls({ ...newest, filter: filter('') }),
  'newest 100 errors of a service': (index) =>
    index.calls({ ...newest, filter: filter(`dst.svc == "svc-${below(37)}" and response.status >= 500`) }),
  'a path that does not occur': (index) => index.count(filter(`path contains "/zzz${below(1e9)}"`), {}),
  'percentiles by service': (index) => index.stats({ filter: filter(''), group_by: 'service', limit: 100 }),
  'errors over time': (index) => index.stats({ filter: filter(''), group_by: 'time', limit: 200 }),
}

const cost = new Map<string, [number, number][]>()
const disk: [number, number][] = []
let written = 0
try {
  for (const size of STEPS) {
    const seconds = await writeUpTo(size)
    const index = await openIndex(join(folder, 'index'), { ...options, readOnly: true }, catalog)
    const bytes = folderSize(folder)
    disk.push([size, bytes / 2 ** 30])
    console.log(
      `${size.toLocaleString('en')} calls: ${(bytes / 2 ** 30).toFixed(2)} GB on disk (${(bytes / size).toFixed(0)} bytes a call), ${seconds} processor µs a written call`,
    )
    for (const [name, ask] of Object.entries(questions)) await measure(index, name, ask, size)
    console.log(`  memory of the process: ${(process.memoryUsage().rss / 2 ** 20).toFixed(0)} MB`)
    await index.close()
  }
  if (pictures !== undefined) draw(pictures)
} finally {
  rmSync(folder, { recursive: true, force: true })
}

/** Returns the processor time of one call, in µs; making it up is not counted. */
async function writeUpTo(size: number): Promise<string> {
  const index = await openIndex(join(folder, 'index'), options, catalog)
  const began = written
  let used = 0
  while (written < size) {
    const calls = Array.from({ length: Math.min(AT_ONCE, size - written) }, (_, i) => makeCall(written + i))
    const before = process.cpuUsage()
    for (const [call, peers] of calls) index.append(call, peers)
    written += calls.length
    if (written % FLUSH_EVERY === 0) await index.flush()
    const { user, system } = process.cpuUsage(before)
    used += user + system
  }
  await index.close()
  return (used / (written - began)).toFixed(1)
}

async function measure(
  index: CallIndex,
  name: string,
  ask: (index: CallIndex) => Promise<unknown>,
  size: number,
): Promise<void> {
  const times: number[] = []
  const before = process.cpuUsage()
  for (let run = 0; run < RUNS; run++) {
    const began = performance.now()
    await ask(index)
    times.push(performance.now() - began)
  }
  const { user, system } = process.cpuUsage(before)
  times.sort((a, b) => a - b)
  const [p50, p95] = [0.5, 0.95].map((part) => times[Math.floor(part * (RUNS - 1))]!)
  const known = cost.get(name) ?? []
  cost.set(name, known)
  known.push([size, p50])
  const grown = `${(p50 / known[0]![1]).toFixed(1)}× for ${(size / known[0]![0]).toFixed(0)}× the calls`
  console.log(
    `  ${name.padEnd(32)} p50 ${p50.toFixed(1).padStart(8)} ms  p95 ${p95.toFixed(1).padStart(8)} ms  processor ${((user + system) / 1000 / RUNS).toFixed(1).padStart(8)} ms  ${grown}`,
  )
}

function draw(into: string): void {
  mkdirSync(into, { recursive: true })
  const series: Series[] = [...cost].map(([name, points]) => ({ name: shortened(name), points }))
  const chart = lineChart(
    { title: 'Time of a question by calls in the index (p50)', x: 'calls', y: 'ms' },
    series,
  )
  writeFileSync(join(into, 'growth-questions.svg'), chart)
  const size = lineChart({ title: 'Disk by calls in the index', x: 'calls', y: 'GB' }, [
    { name: 'disk', points: disk },
  ])
  writeFileSync(join(into, 'growth-disk.svg'), size)
}

function shortened(name: string): string {
  return name.length > 22 ? `${name.slice(0, 21)}…` : name
}
