import type { WorkerRequests } from '@tapdeck/api'
import type { CallSource, Question } from './call-source.ts'

/** Sources for an answer that needs many questions: each of which asks for the same summary, which is fetched once. */
export function summaryOnce(sources: readonly CallSource[]): CallSource[] {
  return sources.map((source) => {
    let summary: Promise<WorkerRequests['summary']['output']> | undefined
    return {
      node: source.node,
      isShared: source.isShared ?? false,
      ask<Name extends Question>(
        question: Name,
        input: WorkerRequests[Name]['input'],
        options?: Parameters<CallSource['ask']>[2],
      ): Promise<WorkerRequests[Name]['output']> {
        if (question !== 'summary') return source.ask(question, input, options)
        summary ??= source.ask('summary', {})
        return summary as Promise<WorkerRequests[Name]['output']>
      },
    }
  })
}
