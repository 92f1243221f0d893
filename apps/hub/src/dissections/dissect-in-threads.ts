import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { joinIndexes } from '@tapdeck/index'
import { ShardPool } from '@tapdeck/parallel'
import type { Ask, HandshakeCounts } from '@tapdeck/questions'
import { openCaptureFile, plainSize, readChunksOf } from '@tapdeck/recording'
import { askShards, type Shards } from './ask-shards.ts'
import { type DissectionTask, emptyTally, type ShareTally } from './dissection-task.ts'
import type { PlainFiles, ShardAnswer, ShardQuestion, ShardTask } from './shard-task.ts'
import { endedMeanwhile, problemFrom } from './thread-message.ts'

/** Time for a thread to let go of its index when the work is not wanted any more: native code that is cut off may take the process with it. */
const FAREWELL_MS = 20_000

export interface ThreadedDissection {
  readonly threads: number
  /** The bundle that each thread runs. */
  readonly entry: URL
  readonly task: DissectionTask
  readonly node: string
  /** Where the index is to be. */
  readonly folder: string
  /** Answers queries meanwhile; undefined: none does any more. */
  answerer(answer: Ask | undefined): void
  /** Now and then, what each thread has read and found so far. What it throws ends them. */
  onProgress(shares: readonly ShareTally[]): void | Promise<void>
  /** Ends them at once. */
  readonly signal?: AbortSignal | undefined
}

/** Files that are read one after the other as if they were one, or what comes out of them. */
export type CaptureSource = readonly string[] | AsyncIterable<Uint8Array>

/** Dissects one capture in several threads, each into an index of its own; at the end they are one. */
export async function dissectInThreads(source: CaptureSource, dissection: ThreadedDissection): Promise<void> {
  const { threads: count, entry, task, node, folder, answerer, onProgress, signal } = dissection
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const files = plainFiles(source)
  const shards = Array.from({ length: count }, (_, index) => ({ index, count }))
  const folders = shards.map(({ index }) => join(folder, `share-${index}`))
  const shares = shards.map(() => emptyTally())
  const pool = new ShardPool({
    shards,
    entry,
    data: { task, node, files, folders } satisfies ShardTask,
    stopTimeout: FAREWELL_MS,
    take(result, shard, release) {
      shares[shard] = result as ShareTally
      release()
      return onProgress(shares)
    },
  })
  const underway = new Set<Promise<unknown>>()
  const stop = () => void pool.stop()
  signal?.addEventListener('abort', stop)
  try {
    signal?.throwIfAborted()
    answerer(answererOf(pool, count, underway))
    if (files === undefined) for await (const _ of pool.share(openCaptureFile(chunksOf(source))));
    await pool.idle()
    answerer(undefined)
    // What was asked until now is answered by those who were asked.
    await Promise.allSettled(underway)
    pool.dismiss()
    await onProgress((await pool.end()) as readonly ShareTally[])
  } finally {
    signal?.removeEventListener('abort', stop)
    answerer(undefined)
    await pool.stop()
  }
  joinIndexes(folder, folders)
}

function answererOf(pool: ShardPool, count: number, underway: Set<Promise<unknown>>): Ask {
  const askAll = async (asked: ShardQuestion): Promise<readonly unknown[]> => {
    const answers = (await pool.ask(asked).catch(() => {
      // The outcome of the job reports what ended them.
      throw endedMeanwhile()
    })) as readonly ShardAnswer[]
    return answers.map((answer) => {
      if ('problem' in answer) throw problemFrom(answer.problem)
      return answer.result
    })
  }
  const shards: Shards = {
    count,
    ask: async (question, input, handshakes) => (await askAll({ question, input, handshakes })) as never,
    handshakes: async () => (await askAll({ question: 'handshakes' })) as readonly HandshakeCounts[],
  }
  return async (question, input) => {
    const answer = askShards(shards, question, input)
    underway.add(answer)
    try {
      return await answer
    } finally {
      underway.delete(answer)
    }
  }
}

/** Undefined where only one can read them. */
function plainFiles(source: CaptureSource): PlainFiles | undefined {
  if (!isPaths(source)) return undefined
  const files: PlainFiles[number][] = []
  for (const path of source) {
    const size = plainSize(path)
    if (size === undefined) return undefined
    files.push({ path, size })
  }
  return files
}

/** What `openCaptureFile` takes. */
export function chunksOf(source: CaptureSource): string | AsyncIterable<Uint8Array> {
  if (!isPaths(source)) return source
  return source.length === 1 ? source[0]! : readChunksOf(source)
}

function isPaths(source: CaptureSource): source is readonly string[] {
  return Array.isArray(source)
}
