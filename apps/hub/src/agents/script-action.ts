import { Worker as Thread } from 'node:worker_threads'
import type { CompactCall } from '@tapdeck/dissect'
import type { Slots } from '../cluster/slots.ts'
import type { Action, ActionState } from './action.ts'
import type { Emitted, FromScript, ToScript } from './script-message.ts'

export interface ScriptOptions {
  readonly source: string
  /** The bundle of the thread. */
  readonly thread: URL
  /** A thread of the script waits for one, and holds it until it has ended. */
  readonly threads: Slots
  readonly emitted: (emitted: Emitted) => void
  /** A batch was taken. */
  readonly done?: () => void
  /** It is stopped: it threw or exceeded a limit, or (`endedThread`) hung or broke its thread. */
  readonly failed: (reason: string, endedThread: boolean) => void
}

const MAX_QUEUED = 1000
const BATCH = 100
/** The script's own bound is shorter: this one is for what that bound does not reach. */
const ANSWER_WITHIN_MS = 5000

/** Feeds calls to a script in a thread of its own, a batch at a time. What it is too slow for is dropped and counted. */
export class ScriptAction implements Action {
  readonly #options: ScriptOptions
  #thread: Thread | undefined
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
    void options.threads.use(() => this.#run())
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
    void this.#thread?.terminate()
  }

  /** Resolves when the thread has ended and its memory is free. */
  #run(): Promise<void> {
    if (this.#isOver) return Promise.resolve()
    const { source, thread: bundle } = this.#options
    const thread = new Thread(bundle, {
      workerData: { source },
      // Nothing of the hub's environment is there to be found.
      env: {},
      // Of the thread around the interpreter, whose own memory is not part of it.
      resourceLimits: { maxOldGenerationSizeMb: 48, maxYoungGenerationSizeMb: 8 },
    })
    this.#thread = thread
    thread.unref()
    thread.on('message', (message: FromScript) => this.#hear(message))
    thread.on('error', (error) => this.#fail(error.message, true))
    this.#expect()
    return new Promise((resolve) =>
      thread.on('exit', () => {
        this.#fail('the script thread ended', true)
        resolve()
      }),
    )
  }

  #feed(): void {
    if (this.#queue.length === 0) return
    this.#isIdle = false
    const calls = JSON.stringify(this.#queue.splice(0, BATCH))
    this.#thread?.postMessage({ calls, skipped: this.#skipped } satisfies ToScript)
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
    const late = () => this.#fail(`no response from the script within ${ANSWER_WITHIN_MS} ms`, true)
    this.#watch = setTimeout(late, ANSWER_WITHIN_MS).unref()
  }

  #fail(reason: string, endedThread = false): void {
    if (this.#isOver) return
    this.#lastError = reason
    this.close()
    this.#options.failed(reason, endedThread)
  }
}
