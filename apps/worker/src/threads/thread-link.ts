import type { Transferable } from 'node:worker_threads'
import { Problem, RequestCorrelator } from '@tapdeck/api'
import type { RequestTable, ThreadAnswer } from './serve-requests.ts'

interface Port {
  postMessage(message: unknown, transfer?: readonly Transferable[]): void
}

/** Sends requests to another thread that answers with `serveRequests`. Failures are thrown as `Problem`. */
export class ThreadLink<Table extends RequestTable<Table>> {
  readonly #port: Port
  readonly #requests = new RequestCorrelator()

  constructor(port: Port) {
    this.#port = port
  }

  ask<Name extends keyof Table & string>(
    name: Name,
    input: Table[Name]['input'],
    transfer: readonly Transferable[] = [],
  ): Promise<Table[Name]['output']> {
    const answer = this.#requests.ask((id) => this.#port.postMessage({ id, name, input }, transfer))
    return answer as Promise<Table[Name]['output']>
  }

  /** Must be called with each answer of the other thread. */
  receive(answer: ThreadAnswer): void {
    if ('failure' in answer) {
      const { status, code, detail, extensions } = answer.failure
      this.#requests.fail(answer.id, new Problem(status, code, detail, extensions))
    } else this.#requests.answer(answer.id, answer.output)
  }

  /** The other thread has ended: all pending and future requests fail. */
  end(reason: string): void {
    this.#requests.end(new Problem(503, 'worker_thread_ended', reason))
  }
}
