import {
  type HubMessage,
  initialCredit,
  Problem,
  type WorkerMessage,
  type WorkerReport,
  type WorkerRequests,
} from '@tapdeck/api'

/** The sending side of the connection to a worker. */
export interface LinkSocket {
  send(text: string): void
  terminate(): void
}

export interface AskOptions {
  /** Milliseconds without an answer, or without the next piece of one, after which the request fails. */
  readonly patience?: number
  readonly signal?: AbortSignal
}

type Name = keyof WorkerRequests
type Input<Request extends Name> = WorkerRequests[Request]['input']
type Output<Request extends Name> = WorkerRequests[Request]['output']

interface Pending {
  answered(result: unknown): void
  failed(problem: Problem): void
  /** A piece of a streamed answer. Undefined: this request is answered in one. */
  readonly piece?: (bytes: Uint8Array) => Promise<void>
  /** Bytes received and not yet used up. */
  held: number
  /** Pieces are used one after the other; the answer comes after the last. */
  used: Promise<void>
  timer: NodeJS.Timeout
  readonly patience: number
}

const PATIENCE = 10_000
/** A worker may be one message over its credit: the one it was sending when the credit ran out. */
const CREDIT_SLACK = 4 * 1024 * 1024

/** One connected worker: what it last reported, and questions to it. When it goes, all that is pending fails. */
export class Worker {
  readonly node: string
  readonly version: string
  /** Address of its node, where it said so. */
  readonly ip: string | undefined
  /** What this worker last said that its switch is. */
  applied: boolean | undefined
  /** What it was told and has not answered yet. */
  asked: { readonly enabled: boolean; readonly answer: Promise<boolean> } | undefined
  report: WorkerReport
  readonly #socket: LinkSocket
  readonly #pending = new Map<number, Pending>()
  #lastId = 0
  #gone = false

  constructor(hello: Extract<WorkerMessage, { kind: 'hello' }>, socket: LinkSocket) {
    this.node = hello.node
    this.version = hello.version
    this.ip = hello.ip
    this.report = hello.report
    this.#socket = socket
  }

  get pending(): number {
    return this.#pending.size
  }

  get gone(): boolean {
    return this.#gone
  }

  ask<Request extends Name>(
    request: Request,
    input: Input<Request>,
    options: AskOptions = {},
  ): Promise<Output<Request>> {
    return this.#request(request, input, options)
  }

  /** Asks for an answer that comes in pieces. The next pieces come as `use` gets on with those before. */
  stream<Request extends Name>(
    request: Request,
    input: Input<Request>,
    use: (bytes: Uint8Array) => Promise<void>,
    options: AskOptions = {},
  ): Promise<Output<Request>> {
    return this.#request(request, input, options, use)
  }

  #request<Request extends Name>(
    request: Request,
    input: Input<Request>,
    { patience = PATIENCE, signal }: AskOptions,
    piece?: (bytes: Uint8Array) => Promise<void>,
  ): Promise<Output<Request>> {
    if (this.#gone) return Promise.reject(this.#lost())
    if (signal?.aborted) return Promise.reject(cancelled())
    this.#lastId = this.#lastId >= 0xffff_fffe ? 1 : this.#lastId + 1
    const id = this.#lastId
    return new Promise((resolve, reject) => {
      const abort = () => this.#give(id, cancelled())
      const settle = (done: () => void) => {
        clearTimeout(pending.timer)
        signal?.removeEventListener('abort', abort)
        this.#pending.delete(id)
        done()
      }
      const pending: Pending = {
        answered: (result) => settle(() => resolve(result as Output<Request>)),
        failed: (problem) => settle(() => reject(problem)),
        ...(piece && { piece }),
        held: 0,
        used: Promise.resolve(),
        patience,
        timer: this.#timer(id, patience),
      }
      signal?.addEventListener('abort', abort, { once: true })
      this.#pending.set(id, pending)
      this.#send({ kind: 'request', id, request, input } as HubMessage)
    })
  }

  /** Takes an answer or a failure. Late ones, whose request was given up, fall under the table. */
  settle(message: Extract<WorkerMessage, { kind: 'answer' | 'failure' }>): void {
    const pending = this.#pending.get(message.id)
    if (pending === undefined) return
    if (message.kind === 'failure') {
      const { status, code, detail, extensions } = message
      pending.failed(new Problem(status, code, detail, extensions))
      return
    }
    clearTimeout(pending.timer)
    void pending.used.then(() => pending.answered(message.result))
  }

  /** Takes a binary message: 4 bytes id, then bytes of a streamed answer. */
  piece(message: Uint8Array): void {
    if (message.length < 4) {
      this.#breach('a piece without an id')
      return
    }
    const id = new DataView(message.buffer, message.byteOffset, 4).getUint32(0)
    const pending = this.#pending.get(id)
    if (pending === undefined) return
    const bytes = message.subarray(4)
    pending.held += bytes.length
    if (pending.piece === undefined || pending.held > initialCredit + CREDIT_SLACK) {
      this.#breach(pending.piece ? 'more bytes than credit' : 'pieces of an answer that has none')
      return
    }
    clearTimeout(pending.timer)
    const use = pending.piece
    pending.used = pending.used.then(async () => {
      if (!this.#pending.has(id)) return
      try {
        await use(bytes)
      } catch (error) {
        this.#give(id, error instanceof Problem ? error : unusable(error))
        return
      }
      pending.held -= bytes.length
      if (!this.#pending.has(id)) return
      this.#send({ kind: 'credit', id, bytes: bytes.length })
      clearTimeout(pending.timer)
      pending.timer = this.#timer(id, pending.patience)
    })
  }

  /** The connection is over, by its end or by our will. */
  leave(): void {
    if (this.#gone) return
    this.#gone = true
    for (const pending of [...this.#pending.values()]) pending.failed(this.#lost())
    this.#socket.terminate()
  }

  /** Gives a request up and tells the worker so. */
  #give(id: number, problem: Problem): void {
    const pending = this.#pending.get(id)
    if (pending === undefined) return
    this.#send({ kind: 'cancel', id })
    pending.failed(problem)
  }

  #timer(id: number, patience: number): NodeJS.Timeout {
    const late = () =>
      this.#give(id, new Problem(503, 'worker_timeout', `node "${this.node}" did not answer in time`))
    return setTimeout(late, patience).unref()
  }

  #breach(what: string): void {
    for (const pending of [...this.#pending.values()])
      pending.failed(new Problem(503, 'worker_lost', `node "${this.node}" broke the protocol: ${what}`))
    this.leave()
  }

  #send(message: HubMessage): void {
    if (!this.#gone) this.#socket.send(JSON.stringify(message))
  }

  #lost(): Problem {
    return new Problem(503, 'worker_lost', `the connection to node "${this.node}" is lost`)
  }
}

function cancelled(): Problem {
  return new Problem(409, 'cancelled', 'it was cancelled')
}

/** Whoever uses the pieces failed; its own error travels as the cause. */
function unusable(error: unknown): Problem {
  const problem = new Problem(500, 'internal', error instanceof Error ? error.message : String(error))
  problem.cause = error
  return problem
}
