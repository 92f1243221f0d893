import { initialCredit } from '@tapdeck/api'

/** How many bytes of one streamed answer may be sent; whoever sends waits for the reader to grant more. */
export class Credit {
  #bytes = initialCredit
  #wake: (() => void) | undefined

  grant(bytes: number): void {
    this.#bytes += bytes
    this.#wake?.()
  }

  /** Resolves when there is credit for `bytes`; rejects when the signal aborts. One waits at a time. */
  async take(bytes: number, signal: AbortSignal): Promise<void> {
    while (this.#bytes < bytes && !signal.aborted) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve
        signal.addEventListener('abort', () => resolve(), { once: true })
      })
      this.#wake = undefined
    }
    signal.throwIfAborted()
    this.#bytes -= bytes
  }
}
