import { SkippedCalls, type WorkerMessage } from '@tapdeck/api'
import type { LiveCallsMessage } from '../live/live-message.ts'

/** Where live calls are sent: the connection to the hub. */
export interface CallLink {
  readonly ready: boolean
  /** The send queue is too long for live calls. */
  readonly congested: boolean
  sendText(text: string): void
  send(message: WorkerMessage): void
}

/** Of so many subscriptions it is known what they miss; those of a worker are fewer. */
const MAX_SUBSCRIPTIONS = 2000

/** Sends live calls as long as the connection is fast enough. What it does not send it counts, and reports to the hub afterwards. */
export class CallDelivery {
  readonly #link: CallLink
  readonly #unsent = new Map<number, SkippedCalls>()
  /** Calls that were not sent, once for each subscription that misses them. */
  undelivered = 0

  constructor(link: CallLink) {
    this.#link = link
  }

  send({ subscription, text, unsent }: LiveCallsMessage): void {
    if (this.#link.congested) {
      this.undelivered += unsent.skipped
      this.#unsentOf(subscription).add(unsent)
      return
    }
    this.#report(subscription)
    this.#link.sendText(text)
  }

  /** Reports what was not sent, as soon as the connection takes messages. To be called from time to time. */
  flush(): void {
    for (const subscription of this.#unsent.keys()) {
      if (!this.#link.ready || this.#link.congested) return
      this.#report(subscription)
    }
  }

  /** The connection has ended, and all subscriptions with it. */
  drop(): void {
    this.#unsent.clear()
  }

  #unsentOf(subscription: number): SkippedCalls {
    const known = this.#unsent.get(subscription)
    if (known) return known
    const [oldest] = this.#unsent.keys()
    if (this.#unsent.size >= MAX_SUBSCRIPTIONS && oldest !== undefined) this.#unsent.delete(oldest)
    const skipped = new SkippedCalls()
    this.#unsent.set(subscription, skipped)
    return skipped
  }

  #report(subscription: number): void {
    const skipped = this.#unsent.get(subscription)
    if (!skipped) return
    this.#unsent.delete(subscription)
    this.#link.send({ kind: 'calls', subscription, calls: [], ...skipped.take() })
  }
}
