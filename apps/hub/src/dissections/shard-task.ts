import type { Problem } from '@tapdeck/api'
import type { HandshakeCounts, Input, Output, QuestionName } from '@tapdeck/questions'
import type { Handshakes } from './ask-shards.ts'
import type { DissectionTask } from './dissection-task.ts'

/** A capture in files that each thread reads for itself, one after the other, as if they were one. */
export type PlainFiles = readonly { readonly path: string; readonly size: number }[]

/** What the threads that share one capture are to do. Plain data. */
export interface ShardTask {
  readonly task: DissectionTask
  readonly node: string
  /** Undefined where the chunks are shared. */
  readonly files: PlainFiles | undefined
  /** Where each of them writes its index. */
  readonly folders: readonly string[]
}

/** What a thread is asked about its index. */
export type ShardQuestion =
  | { readonly question: 'handshakes' }
  | {
      readonly question: QuestionName
      readonly input: Input<QuestionName>
      /** Of all threads, where they count. */
      readonly handshakes: Handshakes | undefined
    }

export type ShardAnswer =
  | { readonly result: Output<QuestionName> | HandshakeCounts }
  | { readonly problem: ReturnType<Problem['body']> }
