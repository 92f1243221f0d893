import type { Log } from '../log.ts'

const MAX_PER_MINUTE = 10

/** Logs the faults of the live thread, up to a number per minute: one bad stream could report a fault for each packet. */
export class FaultLog {
  readonly #log: Log
  #lines = 0
  #since = 0

  constructor(log: Log) {
    this.#log = log
  }

  write(what: string, detail: string): void {
    const now = performance.now()
    if (now - this.#since > 60_000) {
      this.#since = now
      this.#lines = 0
    }
    if (++this.#lines <= MAX_PER_MINUTE) this.#log.error({ detail }, what)
  }
}
