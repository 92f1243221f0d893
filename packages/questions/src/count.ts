import type { Filter } from '@tapdeck/kfl'
import { z } from 'zod'
import { count as number } from './message-values.ts'
import type { Question } from './question.ts'
import { kfl, owners, type TimeWindow, times } from './terms.ts'

/** Only calls that other nodes may report as well; needs `owners`. */
const undecided = z.literal(true).exactOptional()
const input = z.object({ kfl, ...times, owners, undecided })
const output = z.object({ count: number, undecided })

declare module './question.ts' {
  interface Questions {
    count: Asked<typeof input, typeof output>
  }
  interface CallReader {
    /** How many calls match, for explaining empty answers; where payloads decide, among the newest candidates only. */
    count(filter: Filter, window: TimeWindow): Promise<number>
  }
}

export const count: Question<'count'> = {
  input,
  output,
  inTurn: true,
  isOwned: true,

  async answer(index, { kfl, owners, undecided, ...window }, { filter }) {
    // Repeated in the answer: a worker of an earlier version counts all calls.
    return {
      count: await index.count(filter(kfl, owners, undecided), window),
      ...(undecided && { undecided }),
    }
  },

  async merge(sources, input) {
    const answers = [...(await sources.ask('count', input)).values()]
    return { count: answers.reduce((sum, { count }) => sum + count, 0) }
  },

  narrow: (input, { ask, filter }) => ask('count', { ...input, kfl: filter(input.kfl) }),

  redact(input, { ask, allow }) {
    allow(input.kfl)
    return ask('count', input)
  },
}
