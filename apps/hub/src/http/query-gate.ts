import { Problem } from '@tapdeck/api'

/** Queries of one caller that wait; more are refused with 429. */
const MAX_QUEUED = 512

interface Lane {
  busy: number
  readonly waiting: (() => void)[]
}

/** Limits the queries that each caller has running, so that one caller cannot block the others. */
export class QueryGate {
  readonly #lanes = new Map<string, Lane>()
  /** Questions of one caller at once. */
  most: number
  #refused = 0

  constructor(most: number) {
    this.most = most
  }

  get refused(): number {
    return this.#refused
  }

  get running(): number {
    return [...this.#lanes.values()].reduce((sum, { busy }) => sum + busy, 0)
  }

  get waiting(): number {
    return [...this.#lanes.values()].reduce((sum, lane) => sum + lane.waiting.length, 0)
  }

  /** Runs it when it is the caller's turn. Throws 429 where too many wait already. */
  async run<Result>(key: string, work: () => Promise<Result>): Promise<Result> {
    const lane = this.#lanes.get(key) ?? { busy: 0, waiting: [] }
    this.#lanes.set(key, lane)
    if (lane.busy >= this.most) await this.#wait(lane)
    else lane.busy++
    try {
      return await work()
    } finally {
      const next = lane.waiting.shift()
      if (next) next()
      else if (--lane.busy === 0) this.#lanes.delete(key)
    }
  }

  /** The one that leaves hands its place over, so the count stays. */
  #wait(lane: Lane): Promise<void> {
    if (lane.waiting.length >= MAX_QUEUED) {
      this.#refused++
      throw new Problem(429, 'too_many_queries', `Too many queued queries (max ${MAX_QUEUED})`, {
        retry_after: 1,
      })
    }
    return new Promise((resolve) => lane.waiting.push(resolve))
  }
}
