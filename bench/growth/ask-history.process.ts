import { protocols } from '@tapdeck/dissect'
import { openIndex } from '@tapdeck/index'
import { createCatalog } from '@tapdeck/kfl'
import { held } from '../soak/sample.ts'
import { historyOptions } from './history-options.ts'
import { historyQuestions } from './history-questions.ts'
import { percentile } from './percentile.ts'

/** What opening an index and asking it cost, in a process of its own, so that its memory is that of one index. */
export interface HistoryCosts {
  readonly calls: number
  readonly flows: number
  readonly openMs: number
  readonly openProcessorMs: number
  readonly descriptors: number
  readonly openMemory: number
  readonly memory: number
  readonly questions: Readonly<Record<string, QuestionCosts>>
}

interface QuestionCosts {
  readonly first: number
  readonly p50: number
  readonly p95: number
  readonly processor: number
  readonly runs: number
  /** It was refused, with this message. */
  readonly refused?: string
}

const [, , folder, mode] = process.argv
/** Only questions with these words: TAPDECK_BENCH_ONLY. */
const only = process.env.TAPDECK_BENCH_ONLY ?? ''
const MAX_RUNS = 51
/** Of slow questions fewer runs are made, but no fewer than this. */
const MIN_RUNS = 3
const MAX_MS = 5_000

const catalog = createCatalog(protocols)
const idle = held(process.pid)
const began = performance.now()
const cpu = process.cpuUsage()
const index = await openIndex(folder, { ...historyOptions, readOnly: mode !== 'write' }, catalog)
const openMs = performance.now() - began
const openProcessorMs = processorMs(cpu)
const open = held(process.pid)
const { calls, flows } = await index.summary()
console.log(
  `  ${calls} calls: opened (${mode}) in ${openMs.toFixed(0)} ms, ${openProcessorMs.toFixed(0)} ms of processor`,
)
const questions: Record<string, QuestionCosts> = {}
if (mode !== 'write')
  for (const [name, ask] of Object.entries(await historyQuestions(index, catalog)))
    if (name.includes(only)) {
      questions[name] = await measure(ask)
      // A large history takes long: what is known is not to be lost with what is not.
      console.log(`  ${calls} calls, ${name}: ${JSON.stringify(questions[name])}`)
    }
process.send?.({
  calls,
  flows,
  openMs,
  openProcessorMs,
  descriptors: open.descriptors - idle.descriptors,
  openMemory: open.memory - idle.memory,
  memory: held(process.pid).memory,
  questions,
} satisfies HistoryCosts)
await index.close()

async function measure(ask: () => Promise<unknown>): Promise<QuestionCosts> {
  const times: number[] = []
  const started = performance.now()
  const before = process.cpuUsage()
  try {
    while (times.length < MAX_RUNS && (times.length < MIN_RUNS || performance.now() - started < MAX_MS)) {
      const run = performance.now()
      await ask()
      times.push(performance.now() - run)
    }
  } catch (error) {
    return { first: 0, p50: 0, p95: 0, processor: 0, runs: times.length, refused: String(error) }
  }
  const processor = processorMs(before) / times.length
  // The first one reads from the disk and fills caches: it is a figure of its own.
  const [first, ...others] = times
  return { first, p50: percentile(others, 0.5), p95: percentile(others, 0.95), processor, runs: times.length }
}

function processorMs(before: NodeJS.CpuUsage): number {
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}
