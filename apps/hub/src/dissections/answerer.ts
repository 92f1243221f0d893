import type { WorkerRequests } from '@tapdeck/api'
import type { Question } from '../query/call-source.ts'

/** Answers for the calls that were found so far. */
export type Answerer = <Name extends Question>(
  question: Name,
  input: WorkerRequests[Name]['input'],
) => Promise<WorkerRequests[Name]['output']>
