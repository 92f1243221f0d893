import type { Transferable } from 'node:worker_threads'
import { Problem } from '@tapdeck/api'
import type { RequestTable, ThreadAnswer } from './serve-requests.ts'

interface Port {
  postMessage(message: unknown, transfer?: readonly Transferable[]): void
}

interface PendingRequest {
  resolve(output: unknown): void
  reject(error: Error): void
}

/** Sends requests to another thread that answers with `serveRequests`. Failures are thrown as `Problem`. */
export class ThreadLink<Table extends RequestTable<Table>> {
  readonly #port: Port
  readonly #pending = new Map<number, PendingRequest>()
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
      this.#pending.set(id, { resolve: resolve as (output: unknown) => void, reject })
      this.#port.postMessage({ id, name, input }, transfer)
    })
  }

  /** Must be called with each answer of the other thread. */
  receive(answer: ThreadAnswer): void {
    const pending = this.#pending.get(answer.id)
    if (!pending) return
    this.#pending.delete(answer.id)
    if ('failure' in answer) {
      const { status, code, detail, extensions } = answer.failure
      pending.reject(new Problem(status, code, detail, extensions))
    } else pending.resolve(answer.output)
  }

  /** The other thread has ended: all pending and future requests fail. */
  end(reason: string): void {
    this.#ended = new Problem(503, 'worker_thread_ended', reason)
    for (const { reject } of this.#pending.values()) reject(this.#ended)
    this.#pending.clear()
  }
}
