import { initialCredit } from '@tapdeck/api'

/** Bytes of one streamed answer that may still be sent; the sender waits until the reader grants more. */
export class Credit {
  #bytes = initialCredit
  #resume: (() => void) | undefined

  grant(bytes: number): void {
    this.#bytes += bytes
    this.#resume?.()
  }

  /** Resolves when there is credit for `bytes`; rejects when the signal aborts. Only one caller may wait. */
  async take(bytes: number, signal: AbortSignal): Promise<void> {
    while (this.#bytes < bytes && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#resume = resolve
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
      this.#resume = undefined
    }
    signal.throwIfAborted()
    this.#bytes -= bytes
  }
}
