import type { Transferable } from 'node:worker_threads'
import { Problem } from '@tapdeck/api'
import type { RequestTable, ThreadAnswer } from './serve-requests.ts'

interface Port {
  postMessage(message: unknown, transfer?: readonly Transferable[]): void
}

interface Waiting {
  resolve(output: unknown): void
  reject(error: Error): void
}

/** Asks another thread that answers with `serveRequests`. Failures come back as `Problem`. */
export class ThreadLink<Table extends RequestTable<Table>> {
  readonly #port: Port
  readonly #waiting = new Map<number, Waiting>()
  #lastId = 0
  #ended: Error | undefined

  constructor(port: Port) {
    this.#port = port
  }

  ask<Name extends keyof Table & string>(
    name: Name,
    input: Table[Name]['input'],
    transfer: readonly Transferable[] = [],
  ): Promise<Table[Name]['output']> {
    if (this.#ended) return Promise.reject(this.#ended)
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as (output: unknown) => void, reject })
      this.#port.postMessage({ id, name, input }, transfer)
    })
  }

  /** To be called with each answer that the other thread posts. */
  receive(answer: ThreadAnswer): void {
    const waiting = this.#waiting.get(answer.id)
    if (!waiting) return
    this.#waiting.delete(answer.id)
    if ('failure' in answer) {
      const { status, code, detail, extensions } = answer.failure
      waiting.reject(new Problem(status, code, detail, extensions))
    } else waiting.resolve(answer.output)
  }

  /** The other thread is gone: all that waits fails, and so does what comes. */
  end(reason: string): void {
    this.#ended = new Problem(503, 'worker_thread_ended', reason)
    for (const { reject } of this.#waiting.values()) reject(this.#ended)
    this.#waiting.clear()
  }
}
