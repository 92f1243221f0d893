import { Problem, type ProblemBody } from '@tapdeck/api'
import type { Input, QuestionName } from '@tapdeck/questions'
import type { Tally } from './dissection-task.ts'

/** What the hub says to a thread that dissects. */
export type ToThread =
  | {
      readonly kind: 'ask'
      readonly id: number
      /** The file whose calls are meant. */
      readonly file: number
      readonly question: QuestionName
      readonly input: Input<QuestionName>
    }
  | { readonly kind: 'cancel' }

/** A thread answers for the files at work; once one is done, any query can read its index. */
export const movedOn = 'moved_on'

export type FileState = 'begun' | 'completed'

/** For who asked what is over meanwhile. */
export function endedMeanwhile(): Problem {
  return new Problem(409, movedOn, 'The dissection completed during the query; retry the query')
}

/** What the thread says. After `done` or `failed` it says nothing more. */
export type FromThread =
  | { readonly kind: 'progress'; readonly tally: Tally }
  /** A file can be asked about: the thread while it is `begun`, its index on disk once it is `completed`. */
  | { readonly kind: 'file'; readonly file: number; readonly state: FileState }
  | { readonly kind: 'done'; readonly tally: Tally }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'answer'; readonly id: number; readonly result: unknown }
  | { readonly kind: 'failure'; readonly id: number; readonly problem: ProblemBody }

/** The error, as the caller gets it. */
export function problemOf(error: unknown): Problem {
  if (error instanceof Problem) return error
  return new Problem(500, 'internal', error instanceof Error ? error.message : String(error))
}

/** A problem that came from another thread. */
export function problemFrom({ status, code, detail, type, title, ...extensions }: ProblemBody): Problem {
  return new Problem(status, code, detail, extensions)
}
