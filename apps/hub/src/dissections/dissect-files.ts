import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { Catalog } from '@tapdeck/kfl'
import { ChosenPackets } from '@tapdeck/recording'
import type { Answerer } from './answerer.ts'
import { type CaptureWork, dissectCapture } from './dissect-capture.ts'
import { dissectInThreads } from './dissect-in-threads.ts'
import type { DissectionTask, ShareTally, Tally } from './dissection-task.ts'
import { sumTallies, tallyOfShares } from './sum-tallies.ts'
import { ThreadBudget } from './thread-budget.ts'
import { isWorthThreads, threadPlan } from './thread-plan.ts'
import { wantedPackets } from './wanted-packets.ts'

export interface DissectionWatcher {
  /** After each stretch of a file. What it awaits holds the dissection of that file up; what it throws ends all. */
  progress(tally: () => Tally): void | Promise<void>
  /** Answers queries about a file at work; undefined: none can be answered any more. */
  answerer(answer: Answerer | undefined, file: number): void
  /** The index of a file is complete and can be read from disk. */
  done(file: number, tally: Tally): void
  /** Ends it at once; nothing of it is kept. */
  readonly signal?: AbortSignal | undefined
}

type File = DissectionTask['files'][number]

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
  const job = new FilesJob(task, catalog, watcher, shardThread)
  await job.run()
  return job.tally()
}

class FilesJob {
  readonly #task: DissectionTask
  readonly #catalog: Catalog
  readonly #watcher: DissectionWatcher
  readonly #shardThread: URL
  readonly #wanted: ReturnType<typeof wantedPackets>
  readonly #budget: ThreadBudget
  readonly #tallies: (ShareTally | undefined)[]
  /** Bytes to be read of each: fewer than the file has if a filter limits the packets. */
  readonly #totals: number[]
  readonly #failures = new Map<number, unknown>()
  /** The last capture that this thread dissects itself. */
  #last: Promise<void> = Promise.resolve()

  constructor(task: DissectionTask, catalog: Catalog, watcher: DissectionWatcher, shardThread: URL) {
    this.#task = task
    this.#catalog = catalog
    this.#watcher = watcher
    this.#shardThread = shardThread
    this.#wanted = wantedPackets(task, catalog)
    this.#budget = new ThreadBudget(task.threads)
    this.#tallies = task.files.map(() => undefined)
    this.#totals = task.files.map(({ size_bytes }) => size_bytes)
  }

  async run(): Promise<void> {
    const { files, threads } = this.#task
    const sizes = files.map(({ size_bytes }) => (this.#wanted === undefined ? 0 : size_bytes))
    const plan = threadPlan(sizes, threads)
    // The smallest first: what they found can be read early, and the large ones share the threads at the end.
    const order = [...files.keys()].sort((a, b) => sizes[a]! - sizes[b]!)
    const results = await Promise.allSettled(
      order.map((at) =>
        plan[at] === 0
          ? this.#alone(() => this.#one(at, 0))
          : this.#budget.use(plan[at]!, (count) => this.#one(at, count)),
      ),
    )
    this.#watcher.signal?.throwIfAborted()
    for (const result of results) if (result.status === 'rejected') throw result.reason
    if (files.length === 1 && this.#failures.size === 1) throw this.#failures.get(0)
    if (files.length > 0 && this.#failures.size === files.length)
      throw new Error(`the captures of all nodes failed: ${this.tally().errors.join('; ')}`)
  }

  tally(): Tally {
    // In the order of the nodes, whichever failed first.
    const failures = [...this.#failures].sort(([a], [b]) => a - b)
    const errors = failures.map(([at, error]) => `${this.#task.files[at]!.node}: ${text(error)}`)
    return {
      ...sumTallies(this.#tallies, errors),
      totalBytes: this.#totals.reduce((sum, one) => sum + one, 0),
    }
  }

  #alone(work: () => Promise<void>): Promise<void> {
    const run = this.#last.then(work)
    this.#last = run.catch(() => {})
    return run
  }

  /** Runs `work` in this thread: at once where the capture has its turn already (no threads of its own). */
  #here(threads: number, work: () => Promise<void>): Promise<void> {
    return threads === 0 ? work() : this.#alone(work)
  }

  async #one(at: number, threads: number): Promise<void> {
    const { signal } = this.#watcher
    signal?.throwIfAborted()
    const folder = join(this.#task.folder, String(at))
    try {
      await this.#dissect(at, folder, threads)
    } catch (error) {
      if (signal?.aborted) throw error
      this.#failures.set(at, error)
      this.#tallies[at] = undefined
      this.#totals[at] = 0
      await rm(folder, { recursive: true, force: true })
      if (this.#failures.size === this.#task.files.length) return
      await this.#here(threads, () => dissectCapture(undefined, this.#work(at, folder, threads)))
    }
    this.#watcher.done(at, this.tally())
  }

  async #dissect(at: number, folder: string, threads: number): Promise<void> {
    const { paths, size_bytes }: File = this.#task.files[at]!
    const { signal } = this.#watcher
    const worth = this.#wanted !== undefined && size_bytes > 0
    const chosen =
      worth && this.#wanted.length > 0 ? await ChosenPackets.open(paths, this.#wanted, signal) : undefined
    if (chosen) this.#totals[at] = chosen.readBytes + chosen.chosenBytes
    const source = worth ? (chosen ?? paths) : undefined
    const work = this.#work(at, folder, threads)
    try {
      if (source && threads > 0 && (chosen === undefined || isWorthThreads(chosen.chosenBytes)))
        await dissectInThreads(source, { ...work, threads, entry: this.#shardThread })
      else await this.#here(threads, () => dissectCapture(source, work))
    } finally {
      await chosen?.close()
    }
    const tally = this.#tallies[at]
    if (chosen && tally) tally.bytes = chosen.readBytes
  }

  #work(at: number, folder: string, threads: number): CaptureWork {
    const { files, memory } = this.#task
    const { signal } = this.#watcher
    const share = files.length === 1 ? 1 : Math.max(1, threads) / Math.max(1, this.#task.threads)
    return {
      task: { ...this.#task, memory: memory * share },
      catalog: this.#catalog,
      node: files[at]!.node,
      folder,
      signal,
      onProgress: (shares) => {
        this.#tallies[at] = tallyOfShares(shares)
        return this.#watcher.progress(() => this.tally())
      },
      answerer: (answer) => this.#watcher.answerer(answer, at),
    }
  }
}

function text(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).slice(0, 200)
}
