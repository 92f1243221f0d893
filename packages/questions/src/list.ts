import { type Catalog, compile } from '@tapdeck/kfl'
import { call } from './call.ts'
import { calls } from './calls.ts'
import { count } from './count.ts'
import { flows } from './flows.ts'
import { ownedFilter } from './owned-filter.ts'
import type { AnswerSources, CallReader, Input, Output, Question, QuestionName } from './question.ts'
import { stats } from './stats.ts'
import { summary } from './summary.ts'
import { values } from './values.ts'

/** THE list of questions about calls and flows. */
export const questions: { readonly [Name in QuestionName]: Question<Name> } = {
  calls,
  call,
  count,
  stats,
  values,
  flows,
  summary,
}

/** Answers a question about one index. `now` (Unix milliseconds) is what the filter's `now()` means. */
export function answerQuestion<Name extends QuestionName>(
  index: CallReader,
  catalog: Catalog,
  now: number,
  question: Name,
  input: Input<Name>,
): Promise<Output<Name>> {
  return questions[question].answer(index, input, {
    catalog,
    filter(kfl, owners, undecided) {
      const filter = compile(kfl, catalog, now)
      return owners ? ownedFilter(filter, owners, catalog, undecided) : filter
    },
  })
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
  if (sources.count !== 1) return questions[question].merge(sources, input)
  const [answer] = (await sources.ask(question, input)).values()
  return answer!
}
