import { join } from 'node:path'
import type { Catalog } from '@tapdeck/kfl'
import { ChosenPackets, openCaptureFile } from '@tapdeck/recording'
import { sumLoss } from '@tapdeck/wire'
import { answerQuestion } from '../query/answer-question.ts'
import type { Answerer } from './answerer.ts'
import { type CaptureSource, chunksOf, dissectInThreads } from './dissect-in-threads.ts'
import { dissectShare } from './dissect-share.ts'
import { type DissectionTask, MAX_ERRORS, type ShareTally, type Tally } from './dissection-task.ts'
import { openNodeIndex } from './node-index.ts'
import { wantedPackets } from './wanted-packets.ts'

/** Smaller files are done before threads have started. */
const WORTH_THREADS = 16_000_000

export interface DissectionWatcher {
  /** After each stretch of a file. What it awaits holds the dissection up; what it throws ends it. */
  progress(tally: Tally): void | Promise<void>
  /** Who can be asked about the file at work; undefined between two. */
  answerer(answer: Answerer | undefined, file: number): void
  /** Ends it at once; nothing of it is kept. */
  readonly signal?: AbortSignal | undefined
}

/** Dissects captures one after the other, each into an index of its own under the name of its node. */
export async function dissectFiles(
  task: DissectionTask,
  catalog: Catalog,
  watcher: DissectionWatcher,
  shardThread: URL,
): Promise<Tally> {
  const wanted = wantedPackets(task, catalog)
  let done: Tally = {
    files: 0,
    bytes: 0,
    totalBytes: task.files.reduce((sum, { size_bytes }) => sum + size_bytes, 0),
    packets: 0,
    calls: 0,
    flows: 0,
    protocols: {},
    loss: {},
    errors: [],
  }
  for (const [at, { node, paths, size_bytes }] of task.files.entries()) {
    const worth = wanted !== undefined && size_bytes > 0
    const { signal } = watcher
    const chosen = worth && wanted.length > 0 ? await ChosenPackets.open(paths, wanted, signal) : undefined
    if (chosen) done.totalBytes += chosen.readBytes + chosen.chosenBytes - size_bytes
    const folder = join(task.folder, String(at))
    const source = worth ? (chosen ?? paths) : undefined
    const before = done
    const onProgress = (shares: readonly ShareTally[]) => {
      done = withShares(before, shares)
      return watcher.progress(done)
    }
    const answerer = (answer: Answerer | undefined) => watcher.answerer(answer, at)
    const capture = { task, catalog, node, folder, onProgress, answerer, signal }
    try {
      if (source && task.threads > 1 && (chosen?.chosenBytes ?? size_bytes) > WORTH_THREADS)
        await dissectInThreads(source, { ...capture, threads: task.threads, entry: shardThread })
      else await dissectAlone(source, capture)
    } finally {
      await chosen?.close()
    }
    if (chosen) done.bytes = before.bytes + chosen.readBytes
    done.files = at + 1
  }
  return done
}

interface CaptureWork {
  readonly task: DissectionTask
  readonly catalog: Catalog
  readonly node: string
  readonly folder: string
  onProgress(shares: readonly ShareTally[]): void | Promise<void>
  answerer(answer: Answerer | undefined): void
  readonly signal: AbortSignal | undefined
}

/** Without a source there is an empty index. */
async function dissectAlone(source: CaptureSource | undefined, work: CaptureWork): Promise<void> {
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

/** What was done before, and the shares of one capture more: as far as the slowest of them is. */
function withShares(before: Tally, shares: readonly ShareTally[]): Tally {
  const all = [before, ...shares]
  const protocols: Record<string, number> = {}
  for (const [name, calls] of all.flatMap((share) => Object.entries(share.protocols)))
    protocols[name] = (protocols[name] ?? 0) + calls
  return {
    ...before,
    bytes: before.bytes + Math.min(...shares.map(({ bytes }) => bytes)),
    packets: before.packets + Math.min(...shares.map(({ packets }) => packets)),
    calls: all.reduce((sum, { calls }) => sum + calls, 0),
    flows: all.reduce((sum, { flows }) => sum + flows, 0),
    protocols,
    loss: sumLoss(all.map(({ loss }) => loss)),
    errors: all.flatMap(({ errors }) => errors).slice(0, MAX_ERRORS),
  }
}
