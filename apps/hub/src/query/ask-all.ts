import { Problem, type WorkerRequests } from '@tapdeck/api'
import type { CallSource, Question } from './call-source.ts'

export interface Answers<Output> {
  readonly answers: readonly { readonly source: CallSource; readonly output: Output }[]
  /** Nodes whose part is not in the answer, and why. */
  readonly missing: readonly { readonly name: string; readonly reason: string }[]
}

/** Asks all sources at once. What a caller did wrong is thrown; a node that fails is missing; all failing is a failure. */
export async function askAll<Name extends Question>(
  sources: readonly CallSource[],
  question: Name,
  input: WorkerRequests[Name]['input'],
): Promise<Answers<WorkerRequests[Name]['output']>> {
  const results = await Promise.allSettled(sources.map((source) => source.ask(question, input)))
  const answers: { source: CallSource; output: WorkerRequests[Name]['output'] }[] = []
  const missing: { name: string; reason: string }[] = []
  for (const [at, result] of results.entries()) {
    const source = sources[at]!
    if (result.status === 'fulfilled') answers.push({ source, output: result.value })
    else if (result.reason instanceof Problem && result.reason.status >= 500)
      missing.push({ name: source.node, reason: result.reason.message })
    else throw result.reason
  }
  if (answers.length === 0 && missing.length > 0)
    throw new Problem(503, 'no_answer', missing.map(({ name, reason }) => `${name}: ${reason}`).join('; '))
  return { answers, missing }
}
