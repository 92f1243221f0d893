import type { IndexingGuard } from './indexing-guard.ts'
import { type MemoryUse, readMemoryUse } from './memory-use.ts'
import { ResumeWait } from './resume-wait.ts'

/** Shares of the limit: above the first, indexing pauses; below the second, it resumes. */
const PAUSE_ABOVE = 0.9
const RESUME_BELOW = 0.75
const MIB = 1 << 20

/** A container that exceeds its memory limit is killed, with its recorder. */
export class MemoryGuard implements IndexingGuard {
  readonly code = 'memory_limit'
  reason: string | undefined
  readonly #read: () => MemoryUse | undefined
  readonly #wait = new ResumeWait()

  constructor(read: () => MemoryUse | undefined = readMemoryUse) {
    this.#read = read
  }

  mayIndex(now: number): boolean {
    const use = this.#read()
    if (use === undefined) return this.#resume(now)
    const share = use.usedBytes / use.limitBytes
    if (this.#wait.isPaused) return share < RESUME_BELOW && this.#wait.isOver(now) && this.#resume(now)
    if (share <= PAUSE_ABOVE) return true
    this.#wait.pause(now)
    this.reason = `Indexing is paused: ${mib(use.usedBytes)} of ${mib(use.limitBytes)} memory are in use. Recording goes on. Raise the memory limit of the worker.`
    return false
  }

  #resume(now: number): true {
    this.#wait.resume(now)
    this.reason = undefined
    return true
  }
}

function mib(bytes: number): string {
  return `${Math.round(bytes / MIB)} MiB`
}
