import { Problem, type WorkerRequests } from '@tapdeck/api'
import type { OwnAgents } from '@tapdeck/own-ports'
import { closeParts, type HeldWindow, type InterruptedWindows } from './interrupted-windows.ts'
import { type UploadStep, WindowUpload } from './window-upload.ts'

type Input = WorkerRequests['upload']['input']

interface Running {
  readonly upload: WindowUpload
  readonly input: Input
  timer?: NodeJS.Timeout
  isBusy: boolean
}

/** Each takes the memory of some parts. */
const MAX_UPLOADS = 2
/** The next step of an upload comes at once, or never. */
const IDLE_MS = 120_000
/** The parts of one step must be sent within this time. */
const STEP_WITHIN_MS = 120_000

/** The uploads that the hub has begun. The segments of one that a broken connection ended are kept for another attempt. */
export class WindowUploads {
  readonly #hold: (window: { readonly start: number; readonly end: number }) => Promise<HeldWindow>
  readonly #interrupted: InterruptedWindows
  readonly #agents: OwnAgents
  readonly #running = new Map<string, Running>()
  #beginning = 0

  constructor(
    hold: (window: { readonly start: number; readonly end: number }) => Promise<HeldWindow>,
    interrupted: InterruptedWindows,
    agents: OwnAgents,
  ) {
    this.#agents = agents
    this.#hold = hold
    this.#interrupted = interrupted
  }

  /** Begins an upload with its first step. Any failure ends it. */
  async step(input: Input, cancelled: AbortSignal): Promise<UploadStep> {
    const running = this.#running.get(input.upload) ?? (await this.#begin(input))
    if (running.isBusy) throw new Problem(409, 'busy', 'The last step of this upload has not ended')
    running.isBusy = true
    clearTimeout(running.timer)
    const signal = AbortSignal.any([cancelled, AbortSignal.timeout(STEP_WITHIN_MS)])
    try {
      cancelled.throwIfAborted()
      const step = await running.upload.step(input.parts, signal)
      if (step.answer.result) this.#end(running)
      else running.timer = setTimeout(() => this.#end(running), IDLE_MS).unref()
      return step
    } catch (error) {
      this.#end(running, cancelled.aborted)
      throw error
    } finally {
      running.isBusy = false
    }
  }

  /** The connection is lost. Steps at work end by their signal. */
  drop(): void {
    for (const running of [...this.#running.values()]) if (!running.isBusy) this.#end(running, true)
  }

  async #begin(input: Input): Promise<Running> {
    const { upload, start, end, parts } = input
    if (parts.length > 0) throw new Problem(409, 'unknown_upload', 'This upload has ended')
    if (this.#running.size + this.#beginning >= MAX_UPLOADS)
      throw new Problem(503, 'worker_busy', `Too many uploads at the same time (max ${MAX_UPLOADS})`)
    this.#beginning++
    try {
      const held = this.#interrupted.take(start, end) ?? (await this.#hold({ start, end }))
      const running = { upload: new WindowUpload(held, input, this.#agents), input, isBusy: false }
      this.#running.set(upload, running)
      return running
    } finally {
      this.#beginning--
    }
  }

  #end({ upload, input, timer }: Running, keep = false): void {
    clearTimeout(timer)
    if (!this.#running.delete(input.upload)) return
    if (keep) this.#interrupted.keep(input.start, input.end, upload.held)
    else closeParts(upload.held)
  }
}
