import type { Call } from '@tapdeck/dissect'
import type { Peers } from '@tapdeck/index'
import { connectionOf } from './held-call.ts'
import { type Held, HeldCalls } from './held-calls.ts'

/**
 * Calls that were open when indexing was paused. Their responses are recorded, so the backfill of the next period
 * indexes the whole calls. Only those that it does not find are indexed as unfinished.
 */
export class UnfinishedCalls {
  readonly #held = new HeldCalls<Peers>()
  /** By connection and start; several calls may begin with one packet. */
  readonly #calls = new Map<string, Held<Peers>[]>()

  get size(): number {
    return this.#held.size
  }

  /** Returns false if the caller has to index the call as unfinished now. */
  hold(call: Call, peers: Peers): boolean {
    const held = this.#held.hold(call, peers)
    if (held === undefined) return false
    const key = keyOf(call)
    const same = this.#calls.get(key)
    if (same) same.push(held)
    else this.#calls.set(key, [held])
    return true
  }

  /** The backfill indexed this call. */
  indexed(call: Call): void {
    const held = this.#calls.get(keyOf(call))?.shift()
    if (held !== undefined) this.#held.drop(held)
  }

  /** Passes on all calls that are still held. */
  release(emit: (call: Call, peers: Peers) => void): void {
    this.#calls.clear()
    this.#held.release(emit)
  }
}

function keyOf(call: Call): string {
  return `${connectionOf(call)} ${call.start}`
}
