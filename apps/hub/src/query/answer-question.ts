import { Problem, type WorkerRequests } from '@tapdeck/api'
import { type CallIndex, QueryTooLarge } from '@tapdeck/index'
import type { Catalog } from '@tapdeck/kfl'
import { answerQuestion as answer, BadCursor, type Questions } from '@tapdeck/questions'
import type { Question } from './call-source.ts'

/** Answers a question about one index in the words of the worker link. */
export async function answerQuestion<Name extends Question>(
  index: CallIndex,
  catalog: Catalog,
  question: Name,
  input: WorkerRequests[Name]['input'],
): Promise<WorkerRequests[Name]['output']> {
  try {
    const asked = input as unknown as Questions[Name]['input']
    return (await answer(index, catalog, Date.now(), question, asked)) as WorkerRequests[Name]['output']
  } catch (error) {
    if (error instanceof BadCursor) throw new Problem(400, 'bad_cursor', error.message)
    if (error instanceof QueryTooLarge)
      throw new Problem(413, 'query_too_large', error.message, { hint: error.hint })
    throw error
  }
}
