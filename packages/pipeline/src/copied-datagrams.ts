import type { Call } from '@tapdeck/dissect'
import type { Flow } from '@tapdeck/wire'
import { hashOf } from './exchange-hash.ts'

/** A packet and its copy on another device are captured within this time. A client that sends a request again waits longer. */
const COPIED_WITHIN_US = 1000
/** Exchanges that are remembered, by the last bits of their hashes. */
const REMEMBERED = 8192

/**
 * Finds exchanges whose datagrams were captured twice in one flow. The engine recognises copies by the identification of their
 * packets; these have none. Datagrams without a response are left alone: equal events can follow each other closely.
 */
export class CopiedDatagrams {
  readonly #flows = new Array<Flow | undefined>(REMEMBERED).fill(undefined)
  readonly #hashes = new Uint32Array(REMEMBERED)
  readonly #starts = new Float64Array(REMEMBERED)

  isCopy(call: Call): boolean {
    if (call.flow.unmarked === false || call.request === undefined || call.response === undefined)
      return false
    const hash = hashOf(call)
    const at = hash & (REMEMBERED - 1)
    const isKnown = this.#flows[at] === call.flow && this.#hashes[at] === hash
    if (isKnown && Math.abs(call.start - this.#starts[at]!) <= COPIED_WITHIN_US) return true
    this.#flows[at] = call.flow
    this.#hashes[at] = hash
    this.#starts[at] = call.start
    return false
  }
}
