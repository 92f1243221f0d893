import { createHash } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { Worker } from 'node:worker_threads'
import type { FuzzReport, FuzzTask } from './fuzz-thread.ts'

/*
 * Mutated conversations, packets and capture files through the whole engine, in every thread until so many inputs or
 * minutes are over. An exception that is no `Malformed`, bytes that are not given back, an input slower than it may
 * be, a hang, or a heap that grows is a finding: it is written to `test/fuzz/found`, where a test keeps it.
 */
const { values } = parseArgs({
  options: {
    inputs: { type: 'string', default: '10000000' },
    minutes: { type: 'string', default: '60' },
    threads: { type: 'string', default: String(availableParallelism()) },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
const threads = Number(values.threads)
const wanted = Number(values.inputs)
const until = Date.now() + Number(values.minutes) * 60_000
const corpus = join(process.cwd(), 'packages/dissect/src/protocols')
const folder = join(process.cwd(), 'test/fuzz/found')
const HANG_MS = 120_000
/** What a thread may hold beyond what it held at first: the inputs it keeps, and the collector's slack. */
const MAX_GROWTH = 400 * 1024 * 1024
const states: Int32Array[] = []
let findings = 0

process.stdout.write(`Fuzzing: ${wanted} inputs, ${threads} threads, seed ${values.seed}\n`)
const started = Date.now()
const progress = setInterval(() => say(), 30_000)
await Promise.all(Array.from({ length: threads }, (_, index) => run(index)))
clearInterval(progress)
say()
process.stdout.write(`${sum(0)} inputs, ${findings} findings\n`)
process.exitCode = findings > 0 ? 1 : 0

function run(index: number): Promise<void> {
  const state = new Int32Array(new SharedArrayBuffer(16))
  const current = new Uint8Array(new SharedArrayBuffer(4 * 1024 * 1024))
  states.push(state)
  const task: FuzzTask = {
    ...{ corpus, until, state, current },
    inputs: Math.ceil(wanted / threads),
    seed: Number(values.seed) * 1000 + index,
  }
  return new Promise((resolve) => {
    const thread = new Worker(new URL('./fuzz-thread.mjs', import.meta.url), { workerData: task })
    let before = 0
    let firstHeap = 0
    const watch = setInterval(() => {
      const now = Atomics.load(state, 0)
      if (now === before && now > 0) {
        const text = new TextDecoder().decode(current.slice(0, Atomics.load(state, 2)))
        const line = text.indexOf('\n')
        find('hang', text.slice(line + 1), text.slice(0, line), `no end after ${HANG_MS} ms`)
        void thread.terminate()
      }
      before = now
    }, HANG_MS)
    thread.on('message', (report: FuzzReport) => {
      if (report.kind === 'found') find('fault', report.input, report.manner, report.problem)
      else if (report.kind === 'slow') find('slow', report.input, report.manner, `${report.ms} ms`)
      else {
        firstHeap ||= report.heap
        if (report.heap - firstHeap > MAX_GROWTH)
          find('growth', '{}', '', `heap ${report.heap} after ${firstHeap}, ${report.kept} inputs kept`)
      }
    })
    thread.on('error', (error) => find('crash', '{}', '', String(error.stack)))
    thread.on('exit', () => {
      clearInterval(watch)
      resolve()
    })
  })
}

function find(kind: string, input: string, manner: string, problem: string): void {
  findings++
  const name = `${kind}-${createHash('sha256').update(input).digest('hex').slice(0, 10)}.input`
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, name), input)
  process.stdout.write(`FOUND ${kind} (${manner}) test/fuzz/found/${name}\n${problem}\n`)
}

function sum(place: number): number {
  return states.reduce((total, state) => total + Atomics.load(state, place), 0)
}

function say(): void {
  const seconds = (Date.now() - started) / 1000
  const memory = Math.round(process.memoryUsage().rss / 1024 / 1024)
  process.stdout.write(
    `${seconds.toFixed(0)} s: ${sum(0)} inputs (${(sum(0) / seconds).toFixed(0)}/s), ${sum(1)} calls, ${memory} MB, ${findings} findings\n`,
  )
}
