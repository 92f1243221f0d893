import { type CpuUse, readCpuUse } from './cpu-use.ts'
import type { IndexingGuard } from './indexing-guard.ts'
import { ResumeWait } from './resume-wait.ts'

/** Time over which the use is judged: a short burst is none. */
const WINDOW_MS = 10_000
/** Shares of the periods of a window in which the kernel stopped the container: above the first, indexing pauses. */
const PAUSE_ABOVE = 0.25
const RESUME_BELOW = 0.05

/**
 * A container that reaches its CPU limit is stopped for the rest of each period, with its recorder: the kernel drops packets
 * then. Without indexing, the recorder has the whole limit.
 */
export class CpuGuard implements IndexingGuard {
  readonly code = 'cpu_limit'
  reason: string | undefined
  readonly #read: () => CpuUse | undefined
  readonly #wait = new ResumeWait()
  /** The use at the begin of the window. */
  #since: { readonly at: number; readonly use: CpuUse } | undefined

  constructor(read: () => CpuUse | undefined = readCpuUse) {
    this.#read = read
  }

  mayIndex(now: number): boolean {
    const use = this.#read()
    if (use === undefined) {
      this.#since = undefined
      return this.#resume(now)
    }
    this.#since ??= { at: now, use }
    const { at, use: before } = this.#since
    if (now - at < WINDOW_MS) return !this.#wait.isPaused
    this.#since = { at: now, use }
    const periods = use.periods - before.periods
    const share = periods > 0 ? (use.throttled - before.throttled) / periods : 0
    if (this.#wait.isPaused) return share < RESUME_BELOW && this.#wait.isOver(now) && this.#resume(now)
    if (share <= PAUSE_ABOVE) return true
    this.#wait.pause(now)
    this.reason = `Indexing is paused: the CPU limit of ${use.limitCores} cores was reached in ${Math.round(100 * share)} % of the time. Recording goes on. Raise the CPU limit of the worker.`
    return false
  }

  #resume(now: number): true {
    this.#wait.resume(now)
    this.reason = undefined
    return true
  }
}
