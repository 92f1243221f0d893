import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Catalog } from '@tapdeck/kfl'
import type { Ask } from '@tapdeck/questions'
import { ChosenPackets } from '@tapdeck/recording'
import { Slots } from '../cluster/slots.ts'
import { capturePlan } from './capture-plan.ts'
import { type CaptureWork, dissectCapture } from './dissect-capture.ts'
import { dissectInThreads } from './dissect-in-threads.ts'
import type { DissectionTask, Tally } from './dissection-task.ts'
import { JobTally } from './job-tally.ts'
import { isWorthThreads } from './thread-plan.ts'
import { wantedPackets } from './wanted-packets.ts'

export interface DissectionWatcher {
  /** After each stretch of a file. What it awaits holds the dissection of that file up; what it throws ends all. */
  progress(tally: () => Tally): void | Promise<void>
  /** Answers queries about a file at work; undefined: none can be answered any more. */
  answerer(answer: Ask | undefined, file: number): void
  /** The index of a file is complete and can be read from disk. */
  done(file: number, tally: Tally): void
  /** Ends it at once; nothing of it is kept. */
  readonly signal?: AbortSignal | undefined
}

/**
 * Dissects the captures of all nodes, several at once, each into an index of its own. Large ones get threads; small ones
 * go through this thread one after the other. A capture that fails leaves an empty index and an error that names the
 * node; if all of them fail, so does the job.
 */
export async function dissectFiles(
  task: DissectionTask,
  catalog: Catalog,
  watcher: DissectionWatcher,
  shardThread: URL,
): Promise<Tally> {
  const wanted = wantedPackets(task, catalog)
  const tally = new JobTally(task.files)
  const runner = new CaptureRunner({ task, catalog, watcher, shardThread, wanted, tally })
  const sizes = task.files.map(({ size_bytes }) => (wanted === undefined ? 0 : size_bytes))
  const threads = new Slots(task.threads)
  const results = await Promise.allSettled(
    capturePlan(sizes, task.threads).map((planned) =>
      planned.threads === 0
        ? runner.runHere(planned.at)
        : threads.useUpTo(planned.threads, (count) => runner.run(planned.at, count)),
    ),
  )
  watcher.signal?.throwIfAborted()
  for (const result of results) if (result.status === 'rejected') throw result.reason
  tally.throwIfAllFailed()
  return tally.sum()
}

interface RunnerOptions {
  readonly task: DissectionTask
  readonly catalog: Catalog
  readonly watcher: DissectionWatcher
  readonly shardThread: URL
  /** Undefined: no packet can match. */
  readonly wanted: ReturnType<typeof wantedPackets>
  readonly tally: JobTally
}

/** Dissects captures of a job, each with the threads that it is given. */
class CaptureRunner {
  readonly #options: RunnerOptions
  /** This thread dissects one capture at a time. */
  readonly #ownThread = new Slots(1)

  constructor(options: RunnerOptions) {
    this.#options = options
  }

  /** In this thread, once it is free. */
  runHere(at: number): Promise<void> {
    return this.#ownThread.use(() => this.run(at, 0))
  }

  /** `threads` 0: in this thread, which has been claimed. */
  async run(at: number, threads: number): Promise<void> {
    const { task, watcher, tally } = this.#options
    const { signal } = watcher
    signal?.throwIfAborted()
    const folder = join(task.folder, String(at))
    try {
      await this.#dissect(at, folder, threads)
    } catch (error) {
      if (signal?.aborted) throw error
      tally.fail(at, error)
      await rm(folder, { recursive: true, force: true })
      if (tally.allFailed) return
      await this.#here(threads, () => dissectCapture(undefined, this.#work(at, folder, threads)))
    }
    watcher.done(at, tally.sum())
  }

  async #dissect(at: number, folder: string, threads: number): Promise<void> {
    const { task, watcher, wanted, tally, shardThread } = this.#options
    const { paths, size_bytes } = task.files[at]!
    const worth = wanted !== undefined && size_bytes > 0
    const chosen =
      worth && wanted.length > 0 ? await ChosenPackets.open(paths, wanted, watcher.signal) : undefined
    if (chosen) tally.expectBytes(at, chosen.readBytes + chosen.chosenBytes)
    const source = worth ? (chosen ?? paths) : undefined
    const work = this.#work(at, folder, threads)
    try {
      if (source && threads > 0 && (chosen === undefined || isWorthThreads(chosen.chosenBytes)))
        await dissectInThreads(source, { ...work, threads, entry: shardThread })
      else await this.#here(threads, () => dissectCapture(source, work))
    } finally {
      await chosen?.close()
    }
    if (chosen) tally.setBytes(at, chosen.readBytes)
  }

  #here(threads: number, work: () => Promise<void>): Promise<void> {
    return threads === 0 ? work() : this.#ownThread.use(work)
  }

  #work(at: number, folder: string, threads: number): CaptureWork {
    const { task, catalog, watcher, tally } = this.#options
    const share = task.files.length === 1 ? 1 : Math.max(1, threads) / Math.max(1, task.threads)
    return {
      task: { ...task, memory: task.memory * share },
      catalog,
      node: task.files[at]!.node,
      folder,
      signal: watcher.signal,
      onProgress: (shares) => {
        tally.set(at, shares)
        return watcher.progress(() => tally.sum())
      },
      answerer: (answer) => watcher.answerer(answer, at),
    }
  }
}
