import { Worker as Thread } from 'node:worker_threads'
import { Problem, RequestCorrelator } from '@tapdeck/api'
import type { Input, Output, QuestionName } from '@tapdeck/questions'
import type { DissectionTask, Tally } from './dissection-task.ts'
import {
  endedMeanwhile,
  type FileState,
  type FromThread,
  problemFrom,
  type ToThread,
} from './thread-message.ts'

export type Outcome =
  | { readonly kind: 'done'; readonly tally: Tally; readonly run?: string }
  | { readonly kind: 'failed'; readonly reason: string }
  | { readonly kind: 'cancelled' }

export interface DissectionJobOptions {
  readonly task: DissectionTask
  readonly thread: URL
  readonly progress: (tally: Tally) => void
}

/** Heap of the thread; buffers and the index's engine lie outside of it and have bounds of their own. */
const HEAP_MB = 2048
const END_WITHIN_MS = 30_000

/** One running dissection in a thread of its own. Meanwhile it can be asked what it has found so far. */
export class DissectionJob {
  readonly finished: Promise<Outcome>
  readonly #thread: Thread
  readonly #requests = new RequestCorrelator()
  readonly #files = new Map<number, FileState>()
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
        this.#requests.end(this.#ended())
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
  ask<Name extends QuestionName>(file: number, question: Name, input: Input<Name>): Promise<Output<Name>> {
    const answer = this.#requests.ask((id) =>
      this.#thread.postMessage({ kind: 'ask', id, file, question, input } satisfies ToThread),
    )
    return answer as Promise<Output<Name>>
  }

  /** The thread ends by itself, since native code that is cut off may take the process with it. */
  async cancel(): Promise<void> {
    this.#cancelled = true
    // Queries do not wait for it to end: their data is gone.
    this.#requests.end(this.#ended())
    this.#thread.postMessage({ kind: 'cancel' } satisfies ToThread)
    const timer = setTimeout(() => void this.#thread.terminate(), END_WITHIN_MS)
    await this.finished
    clearTimeout(timer)
  }

  /** The hub ends: the next start of it begins the dissection again. */
  detach(): Promise<void> {
    return this.cancel()
  }

  #settle(message: Extract<FromThread, { kind: 'answer' | 'failure' }>): void {
    if (message.kind === 'answer') this.#requests.answer(message.id, message.result)
    else this.#requests.fail(message.id, problemFrom(message.problem))
  }

  #ended(): Problem {
    if (!this.#cancelled) return endedMeanwhile()
    return new Problem(409, 'dissection_not_completed', 'The dissection was stopped during the query', {
      hint: 'Check its status. The partial results were deleted.',
    })
  }
}
