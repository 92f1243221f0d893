import { constants, inflateRawSync } from 'node:zlib'
import type { Connection } from '../../contract/dissector.ts'
import { copyOf } from '../../memory/arena.ts'

/** RFC 7692 §7.2.2: what senders cut off the end of each message. */
const TAIL = Uint8Array.of(0x00, 0x00, 0xff, 0xff)
/** Bytes that one message may unfold to. */
const CEILING = 1024 * 1024
/** How far back deflate refers. */
const WINDOW = 32 * 1024
const NOTHING = new Uint8Array(0)

/**
 * Unfolds the messages of one side (permessage-deflate, RFC 7692). Unless agreed otherwise each refers to those
 * before it: the last 32 KB of them are kept. Where one is missing, the rest of that side cannot be unfolded.
 */
export class Inflation {
  readonly #connection: Connection
  readonly #carriesOver: boolean
  #window: Uint8Array = NOTHING
  #lost = false

  constructor(connection: Connection, carriesOver: boolean) {
    this.#connection = connection
    this.#carriesOver = carriesOver
    if (carriesOver && !connection.budget.take(WINDOW)) this.#lost = true
  }

  /** A message is missing. */
  lose(): void {
    if (!this.#carriesOver || this.#lost) return
    this.#lost = true
    this.#window = NOTHING
    this.#connection.budget.give(WINDOW)
  }

  /** What the message says; undefined where that cannot be known. `whole`: nothing is missing at its end. */
  inflate(bytes: Uint8Array, whole: boolean): Uint8Array | undefined {
    if (this.#lost) return undefined
    try {
      const input = whole ? Buffer.concat([bytes, TAIL]) : bytes
      const options = { maxOutputLength: CEILING, finishFlush: constants.Z_SYNC_FLUSH }
      const window = this.#window
      const unfolded = inflateRawSync(input, window.length > 0 ? { ...options, dictionary: window } : options)
      if (!whole) this.lose()
      else if (this.#carriesOver) this.#remember(unfolded)
      return unfolded
    } catch {
      this.lose()
      return undefined
    }
  }

  #remember(unfolded: Uint8Array): void {
    const { length } = unfolded
    if (length >= WINDOW) {
      this.#window = copyOf(unfolded, length - WINDOW, length)
      return
    }
    const kept = Math.min(this.#window.length, WINDOW - length)
    const next = new Uint8Array(kept + length)
    next.set(this.#window.subarray(this.#window.length - kept))
    next.set(unfolded, kept)
    this.#window = next
  }
}
