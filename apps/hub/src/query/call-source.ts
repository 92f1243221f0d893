import type { Input, Output, QuestionName } from '@tapdeck/questions'
import type { AskOptions } from '../cluster/worker.ts'

/** Something that holds calls: a worker, a dissection, or an index that all nodes share. */
export interface CallSource {
  /** Of a shared index, its name. */
  readonly node: string
  /** It has the calls of all nodes. */
  readonly isShared?: boolean
  ask<Name extends QuestionName>(
    question: Name,
    input: Input<Name>,
    options?: AskOptions,
  ): Promise<Output<Name>>
}

/** The source that has the calls of a node. */
export function sourceOfNode(sources: readonly CallSource[], node: string): CallSource | undefined {
  return sources.find((source) => source.isShared || source.node === node)
}
