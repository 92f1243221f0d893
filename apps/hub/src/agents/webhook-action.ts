import type { CompactCall } from '@tapdeck/dissect'
import { retryDelay } from '@tapdeck/units'
import type { Action, ActionState } from './action.ts'
import type { OwnConnections } from './own-connections.ts'
import { deliveryId, sendWebhook } from './send-webhook.ts'

export interface WebhookOptions {
  readonly agent: string
  readonly url: string
  readonly secret?: string | undefined
  readonly own: OwnConnections
  readonly now: () => number
  /** Milliseconds before the second attempt; it doubles from then on. */
  readonly backOff?: number
}

interface Waiting {
  readonly id: string
  readonly body: string
}

const GATHER_MS = 250
const MAX_CALLS = 100
const MAX_QUEUED = 100
const MAX_ATTEMPTS = 5
const FIRST_WAIT_MS = 1000
const MAX_WAIT_MS = 60_000

/** Sends matching calls to an address, some together, one delivery after the other, and again where that fails. */
export class WebhookAction implements Action {
  readonly #options: WebhookOptions
  readonly #closed = new AbortController()
  #gathered: CompactCall[] = []
  #lost = 0
  #queue: Waiting[] = []
  #timer: NodeJS.Timeout | undefined
  #sending = false
  #done = 0
  #failed = 0
  #dropped = 0
  #lastError: string | undefined

  constructor(options: WebhookOptions) {
    this.#options = options
  }

  get state(): ActionState {
    return {
      done: this.#done,
      failed: this.#failed,
      dropped: this.#dropped,
      waiting: this.#queue.length,
      ...(this.#lastError !== undefined && { last_error: this.#lastError }),
    }
  }

  take(calls: readonly CompactCall[], skipped: number): void {
    this.#lost += skipped
    for (const call of calls) {
      this.#gathered.push(call)
      if (this.#gathered.length >= MAX_CALLS) this.#wrap()
    }
    this.#timer ??= setTimeout(() => this.#wrap(), GATHER_MS).unref()
  }

  /** Sends other JSON under the same address and signature; false where the queue is full. */
  send(payload: string): boolean {
    return this.#enqueue(`"payload":${payload}`)
  }

  close(): void {
    clearTimeout(this.#timer)
    this.#closed.abort()
    this.#queue = []
  }

  #wrap(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const [calls, lost] = [this.#gathered, this.#lost]
    if (calls.length === 0 && lost === 0) return
    this.#gathered = []
    this.#lost = 0
    // The next delivery reports what was not delivered.
    if (!this.#enqueue(`"calls":${JSON.stringify(calls)},"lost":${lost}`)) this.#lost = lost + calls.length
  }

  /** `members`: of the JSON object that is sent. */
  #enqueue(members: string): boolean {
    if (this.#closed.signal.aborted) return false
    if (this.#queue.length >= MAX_QUEUED) {
      this.#dropped++
      return false
    }
    const { agent, now } = this.#options
    const sent_at = new Date(now()).toISOString()
    const body = `{"agent":${JSON.stringify(agent)},"sent_at":${JSON.stringify(sent_at)},${members}}`
    this.#queue.push({ id: deliveryId(), body })
    if (!this.#sending) void this.#send()
    return true
  }

  async #send(): Promise<void> {
    this.#sending = true
    for (let next = this.#queue[0]; next !== undefined; next = this.#queue[0]) {
      if (await this.#deliver(next)) this.#done++
      else this.#failed++
      this.#queue.shift()
    }
    this.#sending = false
  }

  async #deliver({ id, body }: Waiting): Promise<boolean> {
    const { url, secret, own, backOff = FIRST_WAIT_MS } = this.#options
    const { signal } = this.#closed
    const opened = (ip: string, port: number) => own.add(ip, port)
    for (let attempt = 0; attempt < MAX_ATTEMPTS && !signal.aborted; attempt++) {
      if (attempt > 0) await pause(retryDelay({ firstMs: backOff, maxMs: MAX_WAIT_MS }, attempt - 1), signal)
      try {
        const status = await sendWebhook({ url, secret, body, id, signal, opened })
        if (status >= 200 && status < 300) return true
        this.#lastError = `the receiver returned ${status}`
        // It understood and does not want it: asking again changes nothing.
        if (status < 500 && status !== 408 && status !== 429) return false
      } catch (error) {
        this.#lastError = error instanceof Error ? error.message || error.name : String(error)
      }
    }
    return false
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms).unref()
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
