import type { Catalog } from '@tapdeck/kfl'
import type { Ask } from '@tapdeck/questions'
import { openCaptureFile } from '@tapdeck/recording'
import { sumLoss } from '@tapdeck/wire'
import { answerQuestion } from '../query/answer-question.ts'
import { type CaptureSource, chunksOf } from './dissect-in-threads.ts'
import { dissectShare } from './dissect-share.ts'
import type { DissectionTask, ShareTally } from './dissection-task.ts'
import { openNodeIndex } from './node-index.ts'

export interface CaptureWork {
  readonly task: DissectionTask
  readonly catalog: Catalog
  readonly node: string
  /** Where the index is to be. */
  readonly folder: string
  onProgress(shares: readonly ShareTally[]): void | Promise<void>
  /** Answers queries meanwhile; undefined: none does any more. */
  answerer(answer: Ask | undefined): void
  readonly signal: AbortSignal | undefined
}

/** Dissects one capture in this thread, which may dissect no other meanwhile. Without a source there is an empty index. */
export async function dissectCapture(source: CaptureSource | undefined, work: CaptureWork): Promise<void> {
  const { task, catalog, node, folder, onProgress, answerer, signal } = work
  const index = await openNodeIndex(folder, task, node, catalog)
  let share: ShareTally | undefined
  const abandon = () => void index.abandon()
  signal?.addEventListener('abort', abandon)
  answerer((question, input) => answerQuestion(index, catalog, question, input))
  try {
    signal?.throwIfAborted()
    if (source)
      await dissectShare(openCaptureFile(chunksOf(source)), {
        ...{ task, catalog, node, index },
        onProgress(tally) {
          share = tally
          return onProgress([tally])
        },
      })
    answerer(undefined)
    await index.close()
  } catch (error) {
    answerer(undefined)
    await index.abandon()
    throw error
  } finally {
    signal?.removeEventListener('abort', abandon)
  }
  if (share) await onProgress([{ ...share, loss: sumLoss([share.loss, index.loss]) }])
}
