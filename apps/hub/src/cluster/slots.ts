interface Waiting {
  readonly wanted: number
  readonly start: (slots: number) => void
}

/** Limits how much runs at the same time. Others wait in order. */
export class Slots {
  readonly #most: number
  #free: number
  readonly #waiting: Waiting[] = []

  constructor(most: number) {
    this.#most = most
    this.#free = most
  }

  use<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.useUpTo(1, work)
  }

  /** Runs `work` with up to `wanted` slots: at least half of them, so that one slow work does not hold a large one. */
  async useUpTo<Result>(wanted: number, work: (slots: number) => Promise<Result>): Promise<Result> {
    const taken = await new Promise<number>((start) => {
      this.#waiting.push({ wanted: Math.min(wanted, this.#most), start })
      this.#startWaiting()
    })
    try {
      return await work(taken)
    } finally {
      this.#free += taken
      this.#startWaiting()
    }
  }

  #startWaiting(): void {
    for (let next = this.#waiting[0]; next !== undefined; next = this.#waiting[0]) {
      if (this.#free < Math.ceil(next.wanted / 2)) return
      const taken = Math.min(next.wanted, this.#free)
      this.#free -= taken
      this.#waiting.shift()
      next.start(taken)
    }
  }
}
