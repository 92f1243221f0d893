/** Bytes that wait. Above this, the oldest block is passed on early. */
const MAX_BYTES = 64 * 1024 * 1024

interface WaitingBlock {
  readonly bytes: Uint8Array
  /** Unix milliseconds. */
  readonly arrived: number
  /** By the monotonic clock, milliseconds. */
  readonly since: number
}

/** How long blocks wait, milliseconds. */
interface Delay {
  readonly least: number
  readonly most: number
}

/**
 * Passes blocks of packets on after a short time. A connection can be over before its TLS secrets were read from the
 * process, so that indexing must not be ahead of them: a block also waits until all secrets of its time have arrived.
 */
export class DelayedBlocks {
  /** Blocks that were passed on early, because too many bytes waited. */
  early = 0
  readonly #delay: Delay
  readonly #take: (bytes: Uint8Array) => void
  readonly #now: () => number
  #waiting: WaitingBlock[] = []
  #bytes = 0
  #timer: NodeJS.Timeout | undefined
  #readUntil = 0

  /** `now`: Unix milliseconds. */
  constructor(delay: Delay, take: (bytes: Uint8Array) => void, now: () => number = Date.now) {
    this.#delay = delay
    this.#take = take
    this.#now = now
  }

  /** The block that waits longest. */
  get oldest(): Uint8Array | undefined {
    return this.#waiting[0]?.bytes
  }

  /** Takes a copy: the memory of a block is used again. */
  push(bytes: Uint8Array): void {
    this.#waiting.push({ bytes: Uint8Array.from(bytes), arrived: this.#now(), since: performance.now() })
    this.#bytes += bytes.length
    while (this.#bytes > MAX_BYTES && this.#waiting.length > 1) {
      this.early++
      this.#next()
    }
    // The timer begins anew with each block: if they come without a pause, it never fires.
    this.#passDue()
  }

  /** All secrets up to this time have arrived. Unix milliseconds. */
  caughtUp(readUntil: number): void {
    this.#readUntil = readUntil
    this.#passDue()
  }

  /** Passes on everything. */
  flush(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    while (this.#waiting.length > 0) this.#next()
  }

  #passDue(): void {
    const now = performance.now()
    for (;;) {
      const [first] = this.#waiting
      if (first === undefined || this.#dueIn(first, now) > 0) break
      this.#next()
    }
    this.#schedule()
  }

  #dueIn({ arrived, since }: WaitingBlock, now: number): number {
    const { least, most } = this.#delay
    return since + (arrived <= this.#readUntil ? least : most) - now
  }

  #next(): void {
    const block = this.#waiting.shift()
    if (block === undefined) return
    this.#bytes -= block.bytes.length
    this.#take(block.bytes)
  }

  #schedule(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const [first] = this.#waiting
    if (first === undefined) return
    this.#timer = setTimeout(() => this.#passDue(), Math.max(1, this.#dueIn(first, performance.now())))
  }
}
