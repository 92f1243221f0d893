import {
  type HubMessage,
  initialCredit,
  Problem,
  RequestCorrelator,
  type WorkerMessage,
  type WorkerReport,
  type WorkerRequests,
  workerRequests,
} from '@tapdeck/api'
import { Slots } from './slots.ts'
import { badAnswer, readAnswer, readFailure } from './worker-answer.ts'

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

/** What is known of a pending request. */
interface Wait {
  readonly request: Name
  /** A piece of a streamed answer. Undefined: this request is answered in one. */
  readonly piece?: (bytes: Uint8Array) => Promise<void>
  /** Bytes received and not yet used up. */
  held: number
  /** Pieces are used one after the other; the answer comes after the last. */
  used: Promise<void>
  timer: NodeJS.Timeout
  readonly patience: number
}

/** Where the request says nothing else: milliseconds, and bytes. */
const PATIENCE = 10_000
const LARGEST = 64 * 1024
/** For a node that did not answer the last time. A late answer ends this. */
const LATE_PATIENCE = 500
/** Queries that a node has to answer at the same time; others wait at the hub. */
const QUERIES_AT_ONCE = 4
/** Of these, queries that may take long: a node that hangs is found out by the others, which are not held up by them. */
const LONG_QUERIES_AT_ONCE = 2
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
  /** What it was asked and has not answered yet. */
  asked: { readonly enabled: boolean; readonly answer: Promise<boolean> } | undefined
  report: WorkerReport
  /** Answers that were refused because they are not valid. */
  invalidAnswers = 0
  readonly #socket: LinkSocket
  readonly #requests = new RequestCorrelator()
  readonly #turns = new Slots(QUERIES_AT_ONCE)
  readonly #longTurns = new Slots(LONG_QUERIES_AT_ONCE)
  readonly #waits = new Map<number, Wait>()
  #gone = false
  /** It left a request unanswered, and has answered nothing since. */
  #isLate = false

  constructor(hello: Extract<WorkerMessage, { kind: 'hello' }>, socket: LinkSocket) {
    this.node = hello.node
    this.version = hello.version
    this.ip = hello.ip
    this.report = hello.report
    this.#socket = socket
  }

  get pending(): number {
    return this.#requests.size
  }

  get gone(): boolean {
    return this.#gone
  }

  ask<Request extends Name>(
    request: Request,
    input: Input<Request>,
    options: AskOptions = {},
  ): Promise<Output<Request>> {
    const { inTurn = false, timeout = PATIENCE } = workerRequests[request]
    const work = () => this.#request(request, input, options)
    // A late node is only tried: nothing waits for it.
    return inTurn && !this.#isLate ? this.#inTurn(work, timeout, options) : work()
  }

  /** Waits for a turn. Patience begins with it: many questions at once must not make a node late that works through them. */
  async #inTurn<Result>(
    work: () => Promise<Result>,
    timeout: number,
    { signal, patience = timeout }: AskOptions,
  ): Promise<Result> {
    if (signal?.aborted) throw reasonOf(signal)
    return new Promise((resolve, reject) => {
      const giveUp = () => reject(reasonOf(signal))
      signal?.addEventListener('abort', giveUp, { once: true })
      const begin = async () => {
        signal?.removeEventListener('abort', giveUp)
        if (signal?.aborted) return
        const done = work().then(resolve, reject)
        // It has become late: all that wait for it try it now, and not one after the other.
        if (!this.#isLate) await done
      }
      const inTurn = () => this.#turns.use(begin)
      void (patience > timeout ? this.#longTurns.use(inTurn) : inTurn())
    })
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

  async #request<Request extends Name>(
    request: Request,
    input: Input<Request>,
    { patience = workerRequests[request].timeout ?? PATIENCE, signal }: AskOptions,
    piece?: (bytes: Uint8Array) => Promise<void>,
  ): Promise<Output<Request>> {
    if (signal?.aborted) throw cancelled()
    const wait = this.#isLate && workerRequests[request].inTurn ? Math.min(patience, LATE_PATIENCE) : patience
    let id = 0
    const abort = () => {
      if (!(signal?.reason instanceof Problem)) return this.#give(id, cancelled())
      this.#isLate = true
      this.#give(id, signal.reason)
    }
    signal?.addEventListener('abort', abort, { once: true })
    try {
      const result = await this.#requests.ask((given) => {
        id = given
        const timer = this.#timer(id, wait)
        const used = Promise.resolve()
        this.#waits.set(id, { request, ...(piece && { piece }), held: 0, used, patience, timer })
        this.#send({ kind: 'request', id, request, input } as HubMessage)
      })
      return this.#read(request, input, result)
    } finally {
      clearTimeout(this.#waits.get(id)?.timer)
      this.#waits.delete(id)
      signal?.removeEventListener('abort', abort)
    }
  }

  #read<Request extends Name>(request: Request, input: Input<Request>, result: unknown): Output<Request> {
    try {
      return readAnswer(this.node, request, input, result)
    } catch (error) {
      this.invalidAnswers++
      throw error
    }
  }

  /** Takes an answer or a failure. Late ones, whose request was given up, fall under the table. */
  settle(message: Extract<WorkerMessage, { kind: 'answer' | 'failure' }>): void {
    this.#isLate = false
    const { id } = message
    const wait = this.#waits.get(id)
    if (wait === undefined) return
    if (message.kind === 'failure') {
      this.#requests.fail(id, readFailure(this.node, message))
      return
    }
    clearTimeout(wait.timer)
    void wait.used.then(() => this.#requests.answer(id, message.result))
  }

  /** Bytes that the answer to a request may have. No request waits for another one, which needs no reading. */
  answerLimit(id: number): number {
    const wait = this.#waits.get(id)
    return wait === undefined ? 0 : largestAnswer(wait.request)
  }

  /** An answer that is larger than its limit was received, and not read. */
  refuse(id: number, bytes: number): void {
    this.#isLate = false
    const wait = this.#waits.get(id)
    if (wait === undefined) return
    this.invalidAnswers++
    const why = `${bytes} bytes returned, at most ${largestAnswer(wait.request)} accepted`
    this.#requests.fail(id, badAnswer(this.node, wait.request, why))
  }

  /** Takes a binary message: 4 bytes id, then bytes of a streamed answer. */
  piece(message: Uint8Array): void {
    if (message.length < 4) {
      this.#protocolViolation('a chunk without a request id')
      return
    }
    const id = new DataView(message.buffer, message.byteOffset, 4).getUint32(0)
    const wait = this.#waits.get(id)
    if (wait === undefined) return
    const bytes = message.subarray(4)
    wait.held += bytes.length
    if (wait.piece === undefined || wait.held > initialCredit + CREDIT_SLACK) {
      this.#protocolViolation(
        wait.piece ? 'more bytes than credit' : 'chunks for a request that expects none',
      )
      return
    }
    clearTimeout(wait.timer)
    const use = wait.piece
    wait.used = wait.used.then(async () => {
      if (!this.#requests.has(id)) return
      try {
        await use(bytes)
      } catch (error) {
        this.#give(id, error instanceof Problem ? error : unusable(error))
        return
      }
      wait.held -= bytes.length
      if (!this.#requests.has(id)) return
      this.#send({ kind: 'credit', id, bytes: bytes.length })
      clearTimeout(wait.timer)
      wait.timer = this.#timer(id, wait.patience)
    })
  }

  /** The connection is over, by its end or by our will. */
  leave(): void {
    if (this.#gone) return
    this.#gone = true
    this.#requests.end(this.#lost())
    this.#socket.terminate()
  }

  /** Cancels a request, on the worker too. */
  #give(id: number, problem: Problem): void {
    if (!this.#requests.has(id)) return
    this.#send({ kind: 'cancel', id })
    this.#requests.fail(id, problem)
  }

  #timer(id: number, patience: number): NodeJS.Timeout {
    const late = () => {
      this.#isLate = true
      this.#give(id, new Problem(503, 'worker_timeout', `Node "${this.node}" did not respond in time`))
    }
    return setTimeout(late, patience).unref()
  }

  #protocolViolation(what: string): void {
    const detail = `Node "${this.node}" violated the protocol: ${what}`
    this.#requests.end(new Problem(503, 'worker_lost', detail))
    this.leave()
  }

  #send(message: HubMessage): void {
    if (!this.#gone) this.#socket.send(JSON.stringify(message))
  }

  #lost(): Problem {
    return new Problem(503, 'worker_lost', `Lost the connection to node "${this.node}"`)
  }
}

function largestAnswer(request: Name): number {
  return workerRequests[request].largest ?? LARGEST
}

function reasonOf(signal: AbortSignal | undefined): Problem {
  return signal?.reason instanceof Problem ? signal.reason : cancelled()
}

function cancelled(): Problem {
  return new Problem(409, 'cancelled', 'The request was cancelled')
}

/** The consumer of the pieces failed; its own error is the cause. */
function unusable(error: unknown): Problem {
  const problem = new Problem(500, 'internal', error instanceof Error ? error.message : String(error))
  problem.cause = error
  return problem
}
