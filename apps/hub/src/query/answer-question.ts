import { Problem } from '@tapdeck/api'
import { QueryTooLarge } from '@tapdeck/index'
import type { Catalog } from '@tapdeck/kfl'
import {
  answerQuestion as answer,
  BadCursor,
  type CallReader,
  type Input,
  type Output,
  type QuestionName,
} from '@tapdeck/questions'

/** Answers a question about one index. A question that is wrong, or too large, fails with a problem for the caller. */
export async function answerQuestion<Name extends QuestionName>(
  index: CallReader,
  catalog: Catalog,
  question: Name,
  input: Input<Name>,
): Promise<Output<Name>> {
  try {
    return await answer(index, catalog, Date.now(), question, input)
  } catch (error) {
    if (error instanceof BadCursor) throw new Problem(400, 'bad_cursor', error.message)
    if (error instanceof QueryTooLarge)
      throw new Problem(413, 'query_too_large', error.message, { hint: error.hint })
    throw error
  }
}
