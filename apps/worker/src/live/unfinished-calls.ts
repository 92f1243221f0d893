import type { Call } from '@tapdeck/dissect'
import type { Peers } from '@tapdeck/index'
import { connectionOf, type HeldCall, holdCall, releaseCall } from './held-call.ts'

/** More than a node has open at one time. Calls beyond the bounds are indexed as unfinished at once. */
const MAX_CALLS = 10_000
const MAX_BYTES = 16 * 1024 * 1024

interface UnfinishedCall extends HeldCall {
  readonly peers: Peers
}

/**
 * Calls that were open when indexing was paused. Their responses are recorded, so the backfill of the next period
 * indexes the whole calls. Only those that it does not find are indexed as unfinished.
 */
export class UnfinishedCalls {
  /** By connection and start; several calls may begin with one packet. */
  readonly #calls = new Map<string, UnfinishedCall[]>()
  #size = 0
  #bytes = 0

  get size(): number {
    return this.#size
  }

  /** Returns false if the caller has to index the call now. */
  hold(call: Call, peers: Peers): boolean {
    if (this.#size >= MAX_CALLS || this.#bytes >= MAX_BYTES) return false
    const held = { ...holdCall(call), peers }
    const key = keyOf(call)
    const same = this.#calls.get(key)
    if (same) same.push(held)
    else this.#calls.set(key, [held])
    this.#size++
    this.#bytes += held.exchange.length
    return true
  }

  /** The backfill indexed this call. */
  indexed(call: Call): void {
    const held = this.#calls.get(keyOf(call))?.shift()
    if (held === undefined) return
    this.#size--
    this.#bytes -= held.exchange.length
  }

  /** Passes on all calls that are still held. */
  release(emit: (call: Call, peers: Peers) => void): void {
    for (const same of this.#calls.values()) for (const held of same) emit(releaseCall(held), held.peers)
    this.#calls.clear()
    this.#size = 0
    this.#bytes = 0
  }
}

function keyOf(call: Call): string {
  return `${connectionOf(call)} ${call.start}`
}
