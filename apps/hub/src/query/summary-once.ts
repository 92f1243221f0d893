import type { Input, Output, QuestionName } from '@tapdeck/questions'
import type { CallSource } from './call-source.ts'

/** Milliseconds. A question over ten million calls takes seconds, and longer on a busy node. */
const PATIENCE = 60_000

/**
 * Sources for an answer that needs many questions over much: each of them asks for the same summary, which is fetched once,
 * and a node may take longer than for a list.
 */
export function summaryOnce(sources: readonly CallSource[]): CallSource[] {
  return sources.map((source) => {
    let summary: Promise<Output<'summary'>> | undefined
    return {
      node: source.node,
      isShared: source.isShared ?? false,
      ask<Name extends QuestionName>(
        question: Name,
        input: Input<Name>,
        options?: Parameters<CallSource['ask']>[2],
      ): Promise<Output<Name>> {
        if (question !== 'summary') return source.ask(question, input, { patience: PATIENCE, ...options })
        summary ??= source.ask('summary', {}, { patience: PATIENCE })
        return summary as Promise<Output<Name>>
      },
    }
  })
}
