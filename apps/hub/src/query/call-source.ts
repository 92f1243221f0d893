import type { WorkerRequests } from '@tapdeck/api'
import type { AskOptions } from '../cluster/worker.ts'

/** Questions about calls and flows. Workers answer them for live data, and dissections in the same words. */
export type Question = 'calls' | 'call' | 'count' | 'stats' | 'values' | 'flows' | 'summary'

/** Something that holds calls: a worker, a dissection, or an index that all nodes share. */
export interface CallSource {
  /** Of a shared index, its name. */
  readonly node: string
  /** It has the calls of all nodes. */
  readonly isShared?: boolean
  ask<Name extends Question>(
    question: Name,
    input: WorkerRequests[Name]['input'],
    options?: AskOptions,
  ): Promise<WorkerRequests[Name]['output']>
}

/** The source that has the calls of a node. */
export function sourceOfNode(sources: readonly CallSource[], node: string): CallSource | undefined {
  return sources.find((source) => source.isShared || source.node === node)
}
