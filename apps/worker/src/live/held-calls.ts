import type { Call } from '@tapdeck/dissect'
import { type HeldCall, holdCall, releaseCall } from './held-call.ts'

/** More than a node has open at one time. */
const MAX_CALLS = 10_000
const MAX_BYTES = 16 * 1024 * 1024

export interface Held<About> extends HeldCall {
  readonly about: About
}

/** Calls in memory of their own, in the order in which they came, up to a number and to the bytes of their messages. */
export class HeldCalls<About> {
  readonly #held = new Set<Held<About>>()
  #bytes = 0

  get size(): number {
    return this.#held.size
  }

  /** When the first of them ended, in microseconds; undefined: none is held. */
  get oldestEnd(): number | undefined {
    let oldest: number | undefined
    for (const { call } of this.#held) if (oldest === undefined || call.end < oldest) oldest = call.end
    return oldest
  }

  /** Undefined: a bound is reached, so the caller has to index the call now. */
  hold(call: Call, about: About): Held<About> | undefined {
    if (this.#held.size >= MAX_CALLS || this.#bytes >= MAX_BYTES) return undefined
    const held = { ...holdCall(call), about }
    this.#held.add(held)
    this.#bytes += held.exchange.length
    return held
  }

  drop(held: Held<About>): void {
    if (this.#held.delete(held)) this.#bytes -= held.exchange.length
  }

  /** Passes on all calls, or those that are chosen. */
  release(emit: (call: Call, about: About) => void, isChosen: (about: About) => boolean = () => true): void {
    for (const held of this.#held) {
      if (!isChosen(held.about)) continue
      this.drop(held)
      emit(releaseCall(held), held.about)
    }
  }
}
