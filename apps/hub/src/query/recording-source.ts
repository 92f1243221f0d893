import { Problem, type RewindCost, type WorkerRequests } from '@tapdeck/api'
import type { Input, Output, QuestionName } from '@tapdeck/questions'
import type { AskOptions } from '../cluster/worker.ts'
import type { CallSource } from './call-source.ts'

/** Longer than a worker's budget and the turns before it. */
const PATIENCE = 120_000
/** For all pages of one answer together, in a worker's own time. */
const MAX_MS = 15_000

/** A worker that answers queries of a recording. */
export interface Recorder {
  readonly node: string
  ask<Name extends 'rewind' | 'rewind_call'>(
    request: Name,
    input: WorkerRequests[Name]['input'],
    options?: AskOptions,
  ): Promise<WorkerRequests[Name]['output']>
}

export interface RecordingWindow {
  /** Unix milliseconds. */
  readonly start: number
  readonly end: number
}

/** What the answers of one request cost, by node, and whether all that was asked for was searched. */
export class RewindCosts {
  incomplete = false
  readonly #byNode = new Map<string, RewindCost>()

  get all(): RewindCost[] {
    return [...this.#byNode.values()]
  }

  add(node: string, cost: RewindCost): void {
    const before = this.#byNode.get(node)
    this.#byNode.set(node, before ? together(before, cost) : cost)
  }
}

/** Of two pages of one node, one after the other. */
function together(a: RewindCost, b: RewindCost): RewindCost {
  const by_protocol: Record<string, number> = { ...a.by_protocol }
  for (const [protocol, count] of Object.entries(b.by_protocol))
    by_protocol[protocol] = (by_protocol[protocol] ?? 0) + count
  return {
    read_bytes: a.read_bytes + b.read_bytes,
    window_bytes: Math.max(a.window_bytes, b.window_bytes),
    packets: a.packets + b.packets,
    elapsed_ms: a.elapsed_ms + b.elapsed_ms,
    searched_from: Math.min(a.searched_from, b.searched_from),
    searched_to: Math.max(a.searched_to, b.searched_to),
    calls: a.calls + b.calls,
    by_protocol,
    restricted: a.restricted || b.restricted,
  }
}

type Known = {
  readonly [Name in QuestionName]?: (input: Input<Name>, options?: AskOptions) => Promise<Output<Name>>
}

/** The recording of a node as a source of calls, which are dissected as they are asked for. It answers for calls alone. */
export function recordingSource(
  recorder: Recorder,
  window: RecordingWindow,
  costs: RewindCosts,
  signal: AbortSignal,
): CallSource {
  let elapsed = 0
  const patient = { patience: PATIENCE, signal }
  const known: Known = {
    async calls(input, options) {
      const asked = { ...input, ...window }
      const { rewind, ...page } = await recorder.ask('rewind', asked, { ...patient, ...options })
      elapsed += rewind.elapsed_ms
      costs.add(recorder.node, rewind)
      return { ...page, spent: page.spent || elapsed > MAX_MS }
    },
    async call({ id }, options) {
      const { start, end } = window
      const asked = { id, start, end }
      const answer = await recorder.ask('rewind_call', asked, { ...patient, ...options })
      costs.incomplete ||= !answer.complete
      return { call: answer.call }
    },
  }
  return {
    node: recorder.node,
    ask: (question, input, options) => known[question]?.(input, options) ?? Promise.reject(onlyCalls()),
  }
}

function onlyCalls(): Problem {
  return new Problem(400, 'calls_only', 'The recording supports queries for calls only', {
    hint: 'For statistics and flows, create a snapshot and dissect it.',
  })
}
