import type { QuestionName, Questions } from '../answer-question.ts'

export type Input<Name extends QuestionName> = Questions[Name]['input']
export type Output<Name extends QuestionName> = Questions[Name]['output']

/** Several indexes that hold different calls: the shards of a dissection, or the nodes of a cluster. */
export interface AnswerSources {
  readonly count: number
  /**
   * Asks the sources at these places, or all, at once. One that does not answer is absent: the implementation records
   * why. Throws where none answers.
   */
  ask<Name extends QuestionName>(
    question: Name,
    input: Input<Name>,
    at?: readonly number[],
  ): Promise<ReadonlyMap<number, Output<Name>>>
}
