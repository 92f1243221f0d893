/** Bytes that wait. Above this, the oldest block is passed on early. */
const MAX_BYTES = 64 * 1024 * 1024

interface WaitingBlock {
  readonly bytes: Uint8Array
  readonly due: number
}

/**
 * Passes blocks of packets on after a short time. A connection can be over before its TLS secrets were read from the
 * process, so that indexing must not be ahead of them.
 */
export class DelayedBlocks {
  /** Blocks that were passed on early, because too many bytes waited. */
  early = 0
  readonly #delay: number
  readonly #take: (bytes: Uint8Array) => void
  #waiting: WaitingBlock[] = []
  #bytes = 0
  #timer: NodeJS.Timeout | undefined

  /** `delay`: milliseconds. */
  constructor(delay: number, take: (bytes: Uint8Array) => void) {
    this.#delay = delay
    this.#take = take
  }

  /** The block that waits longest. */
  get oldest(): Uint8Array | undefined {
    return this.#waiting[0]?.bytes
  }

  /** Takes a copy: the memory of a block is used again. */
  push(bytes: Uint8Array): void {
    this.#waiting.push({ bytes: Uint8Array.from(bytes), due: performance.now() + this.#delay })
    this.#bytes += bytes.length
    while (this.#bytes > MAX_BYTES && this.#waiting.length > 1) {
      this.early++
      this.#next()
    }
    this.#schedule()
  }

  /** Passes on everything. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    while (this.#waiting.length > 0) this.#next()
  }

  #next(): void {
    const block = this.#waiting.shift()
    if (block === undefined) return
    this.#bytes -= block.bytes.length
    this.#take(block.bytes)
  }

  #schedule(): void {
    const [first] = this.#waiting
    if (first === undefined || this.#timer !== undefined) return
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined
        const now = performance.now()
        while (this.#waiting[0] !== undefined && this.#waiting[0].due <= now) this.#next()
        this.#schedule()
      },
      Math.max(1, first.due - performance.now()),
    )
  }
}
