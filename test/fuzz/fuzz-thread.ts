import { parentPort, workerData } from 'node:worker_threads'
import { seeded } from '../../packages/dissect/src/conformance/replay.ts'
import { readCorpus } from './corpus.ts'
import { type Input, toText } from './input.ts'
import { mutate } from './mutate.ts'
import { shrink } from './shrink.ts'
import { type Manner, tryInput } from './try-input.ts'

/** Start options of a thread. `state`: inputs tried, calls seen, bytes of the input at hand. */
export interface FuzzTask {
  readonly corpus: string
  readonly seed: number
  readonly inputs: number
  readonly until: number
  readonly state: Int32Array
  /** The input at hand, so that a hang can be looked at from outside. */
  readonly current: Uint8Array
}

export type FuzzReport =
  | { readonly kind: 'found'; readonly input: string; readonly manner: Manner; readonly problem: string }
  | { readonly kind: 'slow'; readonly input: string; readonly manner: Manner; readonly ms: number }
  | { readonly kind: 'memory'; readonly heap: number; readonly kept: number }

/** Inputs that showed something new, kept to be changed further; the oldest leave. */
const MAX_KEPT = 20_000
const MEMORY_EVERY = 100_000
const SLOW_MS = 400
const MANNERS: readonly Manner[] = ['whole', 'whole', 'whole', 'whole', 'tight', 'tight', 'bytes']

const task: FuzzTask = workerData
const random = seeded(task.seed)
const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]
const originals = readCorpus(task.corpus)
const kept: Input[] = []
const seen = new Set<string>()
const told = new Set<string>()
const encoder = new TextEncoder()

for (let count = 1; count <= task.inputs && Date.now() < task.until; count++) {
  const from = kept.length > 0 && random() < 0.5 ? pick(kept) : pick(originals)
  const input = mutate(from, pick(originals), random)
  const manner = pick(MANNERS)
  // Written only for every input that could hang: cheap enough, and nothing else would survive a hang.
  const { written } = encoder.encodeInto(`${manner}\n${toText(input)}`, task.current)
  Atomics.store(task.state, 2, written)
  const started = performance.now()
  const outcome = tryInput(input, manner)
  const ms = performance.now() - started
  Atomics.add(task.state, 0, 1)
  Atomics.add(task.state, 1, outcome.calls)
  if (outcome.problem !== undefined) found(input, manner, outcome.problem)
  else if (ms > SLOW_MS) slow(input, manner)
  else if (!seen.has(outcome.signature)) {
    if (seen.size < 1_000_000) seen.add(outcome.signature)
    if (kept.length < MAX_KEPT) kept.push(input)
    else kept[Math.floor(random() * MAX_KEPT)] = input
  }
  if (count % MEMORY_EVERY === 0) {
    globalThis.gc?.()
    report({ kind: 'memory', heap: process.memoryUsage().heapUsed, kept: kept.length })
  }
}

/** The same defect is reported once. */
function found(input: Input, manner: Manner, problem: string): void {
  const place = problem.split('\n').slice(0, 2).join(' ').replace(/\d+/g, '#')
  if (told.has(place)) return
  told.add(place)
  const small = shrink(input, (one) => {
    const again = tryInput(one, manner).problem
    return again !== undefined && again.split('\n').slice(0, 2).join(' ').replace(/\d+/g, '#') === place
  })
  report({ kind: 'found', input: toText(small), manner, problem })
}

/**
 * Slow once may be the collector or a neighbour; slow three times is the input. Where the machine has no time for us, the processor
 * time of all threads together tells that this one cannot have taken longer.
 */
function slow(input: Input, manner: Manner): void {
  const again = Array.from({ length: 3 }, () => {
    const started = performance.now()
    const before = process.cpuUsage()
    tryInput(input, manner)
    const { user, system } = process.cpuUsage(before)
    return Math.min(performance.now() - started, (user + system) / 1000)
  })
  const ms = Math.min(...again)
  if (ms > SLOW_MS) report({ kind: 'slow', input: toText(input), manner, ms })
}

function report(message: FuzzReport): void {
  parentPort?.postMessage(message)
}
