/** Threads that captures of one job share. Who waits first is served first. */
export class ThreadBudget {
  #free: number
  readonly #waiting: (() => void)[] = []

  constructor(threads: number) {
    this.#free = threads
  }

  /** Runs `work` with up to `wanted` threads: at least half of them, so that one slow capture does not hold a large one. */
  async use(wanted: number, work: (threads: number) => Promise<void>): Promise<void> {
    const least = Math.ceil(wanted / 2)
    while (this.#free < least) await new Promise<void>((resolve) => this.#waiting.push(resolve))
    const threads = Math.min(wanted, this.#free)
    this.#free -= threads
    try {
      await work(threads)
    } finally {
      this.#free += threads
      for (const wake of this.#waiting.splice(0)) wake()
    }
  }
}
