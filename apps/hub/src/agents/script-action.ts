import { Worker as Thread } from 'node:worker_threads'
import type { CompactCall } from '@tapdeck/dissect'
import type { Action, ActionState } from './action.ts'
import type { Emitted, FromScript, ToScript } from './script-message.ts'

export interface ScriptOptions {
  readonly source: string
  /** The bundle of the thread. */
  readonly thread: URL
  readonly emitted: (emitted: Emitted) => void
  /** A batch was taken. */
  readonly done?: () => void
  /** It hung, threw or broke, and is stopped. */
  readonly failed: (reason: string) => void
}

const MAX_QUEUED = 1000
const BATCH = 100
/** The script's own bound is shorter: this one is for what that bound does not reach. */
const ANSWER_WITHIN_MS = 5000

/** Feeds calls to a script in a thread of its own, a batch at a time. What it is too slow for is dropped and counted. */
export class ScriptAction implements Action {
  readonly #options: ScriptOptions
  readonly #thread: Thread
  #queue: CompactCall[] = []
  #skipped = 0
  #watch: NodeJS.Timeout | undefined
  #isIdle = false
  #isOver = false
  #done = 0
  #dropped = 0
  #lastError: string | undefined

  constructor(options: ScriptOptions) {
    this.#options = options
    this.#thread = new Thread(options.thread, {
      workerData: { source: options.source },
      // Nothing of the hub's environment is there to be found.
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 16 },
    })
    this.#thread.unref()
    this.#thread.on('message', (message: FromScript) => this.#hear(message))
    this.#thread.on('error', (error) => this.#fail(error.message))
    this.#thread.on('exit', () => this.#fail('the script thread ended'))
    this.#expect()
  }

  get state(): ActionState {
    return {
      done: this.#done,
      failed: this.#lastError === undefined ? 0 : 1,
      dropped: this.#dropped,
      waiting: this.#queue.length,
      ...(this.#lastError !== undefined && { last_error: this.#lastError }),
    }
  }

  take(calls: readonly CompactCall[], skipped: number): void {
    if (this.#isOver) return
    const room = MAX_QUEUED - this.#queue.length
    for (const call of calls.slice(0, room)) this.#queue.push(call)
    const refused = Math.max(0, calls.length - room)
    this.#dropped += refused
    this.#skipped += skipped + refused
    if (this.#isIdle) this.#feed()
  }

  close(): void {
    if (this.#isOver) return
    this.#isOver = true
    clearTimeout(this.#watch)
    this.#queue = []
    void this.#thread.terminate()
  }

  #feed(): void {
    if (this.#queue.length === 0) return
    this.#isIdle = false
    const calls = JSON.stringify(this.#queue.splice(0, BATCH))
    this.#thread.postMessage({ calls, skipped: this.#skipped } satisfies ToScript)
    this.#skipped = 0
    this.#expect()
  }

  #hear(message: FromScript): void {
    if (this.#isOver) return
    clearTimeout(this.#watch)
    if (message.kind === 'failed') {
      this.#fail(message.reason)
      return
    }
    if (message.kind === 'done') {
      this.#done++
      this.#dropped += message.refused
      for (const emitted of message.emitted) this.#options.emitted(emitted)
      this.#options.done?.()
    }
    this.#isIdle = !this.#isOver
    this.#feed()
  }

  #expect(): void {
    const late = () => this.#fail(`no response from the script within ${ANSWER_WITHIN_MS} ms`)
    this.#watch = setTimeout(late, ANSWER_WITHIN_MS).unref()
  }

  #fail(reason: string): void {
    if (this.#isOver) return
    this.#lastError = reason
    this.close()
    this.#options.failed(reason)
  }
}
