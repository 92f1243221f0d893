/** Hidden pages get no animation frames, but their counters should not stand still for ever. */
const hiddenMs = 1000

/** Runs something at most once a frame and once a gap, however often it is asked for. */
export class FrameBatch {
  readonly #run: () => void
  readonly #gapMs: () => number
  #frame: number | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #ranAt = Number.NEGATIVE_INFINITY

  constructor(run: () => void, gapMs: () => number) {
    this.#run = run
    this.#gapMs = gapMs
  }

  request(): void {
    if (this.#timer !== undefined) return
    const wait = Math.max(0, this.#gapMs() - (performance.now() - this.#ranAt))
    this.#timer = setTimeout(() => {
      this.#timer = setTimeout(this.#fire, hiddenMs)
      this.#frame = requestAnimationFrame(this.#fire)
    }, wait)
  }

  cancel(): void {
    clearTimeout(this.#timer)
    if (this.#frame !== undefined) cancelAnimationFrame(this.#frame)
    this.#timer = undefined
    this.#frame = undefined
  }

  readonly #fire = (): void => {
    this.cancel()
    this.#ranAt = performance.now()
    this.#run()
  }
}
