import type { WorkerRequests } from '@tapdeck/api'
import type { AskOptions } from '../cluster/worker.ts'

/** Questions about calls and flows. Workers answer them for live data, and dissections in the same words. */
export type Question = 'calls' | 'call' | 'count' | 'stats' | 'values' | 'flows' | 'summary'

/** Something that holds calls: a worker, or a dissection. */
export interface CallSource {
  readonly node: string
  ask<Name extends Question>(
    question: Name,
    input: WorkerRequests[Name]['input'],
    options?: AskOptions,
  ): Promise<WorkerRequests[Name]['output']>
}
