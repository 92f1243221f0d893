import { Worker as Thread } from 'node:worker_threads'
import { Problem, type WorkerRequests } from '@tapdeck/api'
import type { Question } from '../query/call-source.ts'
import type { DissectionTask, Tally } from './dissection-task.ts'
import {
  endedMeanwhile,
  type FileState,
  type FromThread,
  problemFrom,
  type ToThread,
} from './thread-message.ts'

export type Outcome =
  | { readonly kind: 'done'; readonly tally: Tally }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'cancelled' }

export interface DissectionJobOptions {
  readonly task: DissectionTask
  readonly thread: URL
  readonly progress: (tally: Tally) => void
}

interface Pending {
  answered(result: unknown): void
  failed(problem: Problem): void
}

/** Heap of the thread; buffers and the index's engine lie outside of it and have bounds of their own. */
const HEAP_MB = 2048
const END_WITHIN_MS = 30_000

/** One running dissection in a thread of its own. Meanwhile it can be asked what it has found so far. */
export class DissectionJob {
  readonly finished: Promise<Outcome>
  readonly #thread: Thread
  readonly #pending = new Map<number, Pending>()
  readonly #files = new Map<number, FileState>()
  #lastId = 0
  #over = false
  #cancelled = false

  constructor({ task, thread, progress }: DissectionJobOptions) {
    this.#thread = new Thread(thread, {
      workerData: task,
      resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
    })
    this.finished = new Promise((resolve) => {
      let outcome: Outcome | undefined
      this.#thread.on('message', (message: FromThread) => {
        if (message.kind === 'progress') progress(message.tally)
        else if (message.kind === 'file') this.#files.set(message.file, message.state)
        else if (message.kind === 'failed' || message.kind === 'done') outcome = message
        else this.#settle(message)
      })
      this.#thread.on('error', (error) => {
        outcome = { kind: 'failed', reason: error.message }
      })
      this.#thread.on('exit', (code) => {
        this.#leave()
        const fallen: Outcome = { kind: 'failed', reason: `the dissection thread exited with code ${code}` }
        resolve(this.#cancelled ? { kind: 'cancelled' } : (outcome ?? fallen))
      })
    })
  }

  /** Undefined: nothing of the file can be asked yet. */
  state(file: number): FileState | undefined {
    return this.#files.get(file)
  }

  /** Asks about a file at work. Fails with `moved_on` where it is not, any more. */
  ask<Name extends Question>(
    file: number,
    question: Name,
    input: WorkerRequests[Name]['input'],
  ): Promise<WorkerRequests[Name]['output']> {
    if (this.#over) return Promise.reject(this.#ended())
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      this.#pending.set(id, {
        answered: (result) => resolve(result as WorkerRequests[Name]['output']),
        failed: reject,
      })
      this.#thread.postMessage({ kind: 'ask', id, file, question, input } satisfies ToThread)
    })
  }

  /** The thread ends by itself, since native code that is cut off may take the process with it. */
  async cancel(): Promise<void> {
    this.#cancelled = true
    // Queries do not wait for it to end: their data is gone.
    this.#leave()
    this.#thread.postMessage({ kind: 'cancel' } satisfies ToThread)
    const timer = setTimeout(() => void this.#thread.terminate(), END_WITHIN_MS)
    await this.finished
    clearTimeout(timer)
  }

  #settle(message: Extract<FromThread, { kind: 'answer' | 'failure' }>): void {
    const pending = this.#pending.get(message.id)
    this.#pending.delete(message.id)
    if (message.kind === 'answer') pending?.answered(message.result)
    else pending?.failed(problemFrom(message.problem))
  }

  #leave(): void {
    this.#over = true
    for (const pending of this.#pending.values()) pending.failed(this.#ended())
    this.#pending.clear()
  }

  #ended(): Problem {
    if (!this.#cancelled) return endedMeanwhile()
    return new Problem(409, 'dissection_not_completed', 'The dissection was stopped during the query', {
      hint: 'Check its status. The partial results were deleted.',
    })
  }
}
