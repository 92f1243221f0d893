import type { ReadableSpan } from '@opentelemetry/sdk-trace'
import { retryDelay } from '@tapdeck/units'
import type { OtlpExporter } from './otlp-exporter.ts'

export interface SpanQueueOptions {
  readonly exporter: OtlpExporter<ReadableSpan[]>
  readonly maxQueued: number
  readonly maxPerSecond: number
  readonly now: () => number
  /** Milliseconds before the next batch after a failure; it doubles from then on. */
  readonly backOff?: number
}

const GATHER_MS = 1000
const MAX_BATCH = 512
const FIRST_WAIT_MS = 1000
const MAX_WAIT_MS = 60_000
const SECOND = 1000

/**
 * Spans on their way to the receiver, one batch after the other. The exporter repeats what can be repeated for 10
 * seconds; what fails then is dropped and counted, and so is what does not fit.
 */
export class SpanQueue {
  readonly #options: SpanQueueOptions
  #queue: ReadableSpan[] = []
  #timer: NodeJS.Timeout | undefined
  #isSending = false
  #isClosed = false
  #failures = 0
  #second = 0
  #inSecond = 0
  #lastError: string | undefined
  readonly #counts = { sent: 0, over_budget: 0, queue_full: 0, rejected: 0, failed: 0 }

  constructor(options: SpanQueueOptions) {
    this.#options = options
  }

  get state() {
    return {
      ...this.#counts,
      waiting: this.#queue.length,
      ...(this.#lastError !== undefined && { last_error: this.#lastError }),
    }
  }

  /** Whether the budget of this second allows one more span. Counts it, or the refusal. */
  take(): boolean {
    const { now, maxPerSecond } = this.#options
    const second = Math.floor(now() / SECOND)
    if (second !== this.#second) {
      this.#second = second
      this.#inSecond = 0
    }
    if (this.#inSecond >= maxPerSecond) {
      this.#counts.over_budget++
      return false
    }
    this.#inSecond++
    return true
  }

  offer(span: ReadableSpan): void {
    if (this.#isClosed) return
    if (this.#queue.length >= this.#options.maxQueued) {
      this.#counts.queue_full++
      return
    }
    this.#queue.push(span)
    this.#schedule(GATHER_MS)
  }

  /** Nothing waits afterwards; what is under way may still arrive. */
  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
    this.#counts.failed += this.#queue.length
    this.#queue = []
    this.#options.exporter.shutdown().catch(() => {})
  }

  #schedule(ms: number): void {
    if (this.#isSending || this.#isClosed || this.#queue.length === 0) return
    this.#timer ??= setTimeout(() => this.#send(), ms).unref()
  }

  #send(): void {
    this.#timer = undefined
    this.#isSending = true
    const batch = this.#queue.splice(0, MAX_BATCH)
    this.#options.exporter.export(batch, ({ code, reason, rejected = 0 }) => {
      this.#isSending = false
      if (code === 0) {
        const lost = Math.min(rejected, batch.length)
        this.#counts.sent += batch.length - lost
        this.#counts.rejected += lost
        this.#failures = 0
        this.#lastError = reason
        this.#schedule(this.#queue.length >= MAX_BATCH ? 0 : GATHER_MS)
        return
      }
      this.#counts.failed += batch.length
      this.#lastError = reason || 'the receiver did not take the spans'
      const { backOff = FIRST_WAIT_MS } = this.#options
      this.#schedule(retryDelay({ firstMs: backOff, maxMs: MAX_WAIT_MS }, this.#failures++))
    })
  }
}
