import type { Problem } from '../problem.ts'

/** Ids travel as unsigned 32-bit numbers. */
const MAX_ID = 0xffff_fffe

interface Pending {
  resolve(result: unknown): void
  reject(problem: Problem): void
}

/** Gives each request an id, and brings the answer with that id back to it. Answers without a request are ignored. */
export class RequestCorrelator {
  readonly #pending = new Map<number, Pending>()
  #lastId = 0
  #ended: Problem | undefined

  get size(): number {
    return this.#pending.size
  }

  /** Whether a request waits for its answer. */
  has(id: number): boolean {
    return this.#pending.has(id)
  }

  /** `send` sends the request with its id. */
  ask(send: (id: number) => void): Promise<unknown> {
    if (this.#ended) return Promise.reject(this.#ended)
    this.#lastId = this.#lastId >= MAX_ID ? 1 : this.#lastId + 1
    const id = this.#lastId
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject })
      try {
        send(id)
      } catch (error) {
        this.#pending.delete(id)
        throw error
      }
    })
  }

  answer(id: number, result: unknown): void {
    this.#take(id)?.resolve(result)
  }

  fail(id: number, problem: Problem): void {
    this.#take(id)?.reject(problem)
  }

  /** The other end is gone: all pending and future requests fail. */
  end(problem: Problem): void {
    this.#ended = problem
    for (const { reject } of this.#pending.values()) reject(problem)
    this.#pending.clear()
  }

  #take(id: number): Pending | undefined {
    const pending = this.#pending.get(id)
    this.#pending.delete(id)
    return pending
  }
}
