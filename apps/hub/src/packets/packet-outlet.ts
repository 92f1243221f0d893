import { Output } from '../export/output.ts'

/** Bytes that wait for the reader; then those who write wait as well. */
const MAX_WAITING = 4 * 1024 * 1024

/** Bytes on their way to one reader. Several write, whole blocks at a time. */
export class PacketOutlet {
  readonly output = new Output()
  #isEnded = false
  #failure: unknown
  #wakeReader: (() => void) | undefined
  #waiting: (() => void)[] = []

  /** To be called after something was written. Resolves when more may be written. */
  async written(): Promise<void> {
    this.#wakeReader?.()
    while (this.output.used > MAX_WAITING && !this.#isEnded)
      await new Promise<void>((resolve) => this.#waiting.push(resolve))
  }

  /** The next bytes; undefined at the end. Throws what `end` was given. */
  async next(): Promise<Uint8Array | undefined> {
    while (this.output.used === 0 && !this.#isEnded)
      await new Promise<void>((resolve) => {
        this.#wakeReader = resolve
      })
    if (this.#failure !== undefined) throw this.#failure
    if (this.output.used === 0) return undefined
    const piece = this.output.take()
    for (const resume of this.#waiting.splice(0)) resume()
    return piece
  }

  end(failure?: unknown): void {
    this.#isEnded = true
    this.#failure = failure
    this.#wakeReader?.()
    for (const resume of this.#waiting.splice(0)) resume()
  }
}
