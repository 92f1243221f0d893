import { CoverageLog, type CoverageState } from '@tapdeck/recording'

/** The longest delay between capture and storage when nothing is queued. The kernel holds a packet for up to 256 ms. */
export const MAX_STORE_DELAY_MS = 1000

/** The current state of the recorder. Times are Unix milliseconds. */
export interface RecorderState {
  /** Why nothing is recorded; absent while packets are recorded. */
  readonly off?: { readonly reason: string; readonly detail?: string }
  /** Packets that could not be stored so far. */
  readonly lost: number
  /** No captured packet waits to be stored. */
  readonly drained: boolean
  /** The newest packet up to which everything is stored; 0 if not known. */
  readonly newest: number
  /** Packets up to this time were deleted to free space. */
  readonly deletedUntil: number
}

/** Keeps the times at which nothing was recorded, with reasons. */
export class RecorderCoverage {
  readonly #log: CoverageLog
  #lost = 0

  /** `recovered`: the time up to which an earlier process stored packets. */
  constructor(file: string | undefined, recovered: number, now: number) {
    this.#log = CoverageLog.open(file, { before: recovered > 0 ? 'unknown' : 'not_started' })
    this.#log.extend(Math.floor(Math.min(recovered, now)))
  }

  get state(): CoverageState {
    return this.#log.state
  }

  /** Why it cannot be written; undefined: it is. */
  get failure(): string | undefined {
    return this.#log.failure
  }

  /** Must be called when capture begins, about every second after that, and for every report. */
  update({ off, lost, drained, newest, deletedUntil }: RecorderState, now: number): void {
    const log = this.#log
    const refused = lost > this.#lost
    this.#lost = lost
    if (off) {
      if (log.isOn) log.end(off.reason, 0, off.detail)
      else log.blame(off.reason, now, off.detail)
    } else if (!log.isOn) log.begin(now)
    else if (refused) log.miss('disk_failed', now)
    const until = Math.max(newest, drained ? now - MAX_STORE_DELAY_MS : 0)
    log.beat(Math.floor(Math.min(until, now)), deletedUntil)
  }

  /** An orderly end: all packets up to `at` are stored. */
  stop(at: number, lost: number): void {
    if (lost > this.#lost) this.#log.miss('disk_failed', at)
    this.#log.end('stopped', at)
    this.#log.close()
  }
}
