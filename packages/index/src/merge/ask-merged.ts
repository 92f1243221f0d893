import type { QuestionName } from '../answer-question.ts'
import type { AnswerSources, Input, Output } from './answer-sources.ts'
import { mergeFlows } from './merge-flows.ts'
import { mergePages } from './merge-pages.ts'
import { mergeStats } from './merge-stats.ts'
import { mergeSummaries } from './merge-summaries.ts'
import { mergeValues } from './merge-values.ts'

type Merging = {
  readonly [Name in QuestionName]: (sources: AnswerSources, input: Input<Name>) => Promise<Output<Name>>
}

const merging: Merging = {
  async calls(sources, input) {
    return mergePages([...(await sources.ask('calls', input)).values()], input)
  },
  async call(sources, input) {
    const answers = [...(await sources.ask('call', input)).values()]
    return { call: answers.find(({ call }) => call !== null)?.call ?? null }
  },
  async count(sources, input) {
    const answers = [...(await sources.ask('count', input)).values()]
    return { count: answers.reduce((sum, { count }) => sum + count, 0) }
  },
  stats: mergeStats,
  values: mergeValues,
  flows: mergeFlows,
  async summary(sources, input) {
    return mergeSummaries([...(await sources.ask('summary', input)).values()])
  },
}

/**
 * One answer out of those of several indexes that hold different calls, as one index of all calls gives it. Percentiles
 * of groups with many calls that several of them have are within 1 % (2 % above 100 groups), and say so.
 */
export async function askMerged<Name extends QuestionName>(
  sources: AnswerSources,
  question: Name,
  input: Input<Name>,
): Promise<Output<Name>> {
  if (sources.count !== 1 || question === 'stats') return merging[question](sources, input)
  const [answer] = (await sources.ask(question, input)).values()
  return answer!
}
