import { fork } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { folderSize } from '../soak/sample.ts'
import type { HistoryCosts } from './ask-history.process.ts'
import { GrowthTable } from './growth-table.ts'
import { pageQuestions, wholeQuestions } from './history-questions.ts'
import { sizes } from './sizes.ts'

const WRITE = join(import.meta.dirname, 'growth', 'write-history.mjs')
const ASK = join(import.meta.dirname, 'growth', 'ask-history.mjs')
/** Calls of a chunk: see `write-history.process.ts`. */
const CALLS_A_CHUNK = 1_000_000
/** Bytes of the body of each response. */
const BODY = process.env.TAPDECK_BENCH_BODY ?? '16'

interface Written {
  readonly calls: number
  readonly processor_us: number
  readonly memory_mb: number
}

/**
 * One index is written up to the largest size; smaller ones are its first chunks, linked into a folder of their own. 100 million calls
 * take 31 GB. TAPDECK_BENCH_KEEP: a folder that is kept, and used again if it has an index. TAPDECK_BENCH_BODY: bytes of a body.
 */
export async function growHistory(): Promise<void> {
  const kept = process.env.TAPDECK_BENCH_KEEP
  const folder = kept ?? mkdtempSync(join(tmpdir(), 'tapdeck-growth-'))
  const steps = sizes(1_000_000, 3_000_000, 10_000_000)
  if (steps.some((size) => size % CALLS_A_CHUNK !== 0)) throw new Error('Sizes are multiples of a million.')
  const table = new GrowthTable('calls')
  try {
    if (!existsSync(join(folder, 'written.ndjson')))
      await ended(fork(WRITE, [folder, `${Math.max(...steps)}`, BODY]))
    const written = readFileSync(join(folder, 'written.ndjson'), 'utf8')
      .trim()
      .split('\n')
      .map((line): Written => JSON.parse(line))
    for (const size of steps) table.add(size, await measure(folder, size, written))
  } finally {
    if (kept === undefined) rmSync(folder, { recursive: true, force: true })
  }
  table.print()
  draw(table)
}

async function measure(
  folder: string,
  size: number,
  written: readonly Written[],
): Promise<Record<string, number | undefined>> {
  const part = join(folder, 'part')
  link(folder, part, size)
  try {
    const disk = folderSize(part)
    const asked = await ask(part, 'read')
    const restarted = await ask(part, 'write')
    if (asked.calls !== size) throw new Error(`${asked.calls} calls instead of ${size}`)
    // Of the last tenth: what one more call costs at this size.
    const last = written.filter(({ calls }) => calls <= size && calls > size * 0.9)
    const mean = (of: (one: Written) => number) =>
      last.length === 0 ? undefined : last.reduce((sum, one) => sum + of(one), 0) / last.length
    return {
      flows: asked.flows,
      'disk, GB': disk / 1e9,
      'bytes a call': disk / size,
      'processor of a written call, µs': mean(({ processor_us }) => processor_us),
      'memory of the writer, MB': mean(({ memory_mb }) => memory_mb),
      'open to read, ms': asked.openMs,
      'open to write, ms': restarted.openMs,
      'open to write, ms of processor': restarted.openProcessorMs,
      descriptors: restarted.descriptors,
      'memory when open, MB more': asked.openMemory / 2 ** 20,
      'memory after the questions, MB': asked.memory / 2 ** 20,
      ...costsOf(asked),
    }
  } finally {
    rmSync(part, { recursive: true, force: true })
  }
}

function costsOf({ questions }: HistoryCosts): Record<string, number | undefined> {
  const costs: Record<string, number | undefined> = {}
  for (const [name, { first, p50, p95, processor, refused }] of Object.entries(questions)) {
    if (refused !== undefined) console.log(`${name}: ${refused}`)
    const known = (value: number) => (refused === undefined ? value : undefined)
    costs[`${name}, p50 ms`] = known(p50)
    costs[`${name}, p95 ms`] = known(p95)
    costs[`${name}, first time, ms`] = known(first)
    costs[`${name}, ms of processor`] = known(processor)
  }
  return costs
}

/** The first chunks of an index. The last one is copied: opening to write may change it. */
function link(folder: string, part: string, size: number): void {
  rmSync(part, { recursive: true, force: true })
  const chunks = readdirSync(join(folder, 'index'))
    .filter((name) => name.startsWith('chunk-'))
    .sort()
  const chosen = chunks.slice(0, size / CALLS_A_CHUNK)
  for (const chunk of chosen) {
    mkdirSync(join(part, chunk), { recursive: true })
    for (const file of readdirSync(join(folder, 'index', chunk))) {
      const place = chunk === chosen.at(-1) ? copyFileSync : linkSync
      place(join(folder, 'index', chunk, file), join(part, chunk, basename(file)))
    }
  }
}

async function ask(part: string, mode: 'read' | 'write'): Promise<HistoryCosts> {
  const child = fork(ASK, [part, mode])
  const [costs] = (await once(child, 'message')) as [HistoryCosts]
  await ended(child)
  return costs
}

async function ended(child: ReturnType<typeof fork>): Promise<void> {
  const code = child.exitCode ?? (await once(child, 'exit'))[0]
  if (code !== 0) throw new Error(`A process of the bench ended with ${code}.`)
}

function draw(table: GrowthTable): void {
  const labels = { x: 'calls', y: 'ms', log: ['x', 'y'] } as const
  const p50 = (name: string) => `${name}, p50 ms`
  const p95 = (name: string) => name.replace('p50', 'p95')
  table.draw(
    'growth-pages.svg',
    { title: 'Pages and single calls (dashed: p95)', ...labels },
    pageQuestions.map(p50),
    p95,
  )
  table.draw(
    'growth-scans.svg',
    { title: 'Questions about all calls (dashed: p95)', ...labels },
    wholeQuestions.map(p50),
    p95,
  )
  table.draw('growth-disk.svg', { title: 'Disk by calls in the index', x: 'calls', y: 'GB' }, ['disk, GB'])
}
