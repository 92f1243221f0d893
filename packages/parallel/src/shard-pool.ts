import { setTimeout } from 'node:timers/promises'
import { Worker as Thread } from 'node:worker_threads'
import type { Shard } from '@tapdeck/wire'
import { type FromShard, type ShardStart, shardState, type ToShard } from './thread-message.ts'

/** Heap of a thread. Buffers are outside of it and have their own limits. */
const HEAP_MB = 2048
/** Shared chunks that a thread may lag behind. */
const SLOTS = 8
const SLOT_BYTES = 1 << 20

export interface ShardPoolOptions {
  /** Each gets a thread. The caller may process one more shard itself. */
  readonly shards: readonly Shard[]
  /** The bundle that a thread runs; it calls `serveShard`. */
  readonly entry: URL
  /** For the threads; plain data. */
  readonly data: unknown
  /**
   * Takes the results of all threads, one after the other. A thread waits if too many of its results are not released.
   */
  take(result: unknown, shard: number, release: () => void): void | Promise<void>
  /** Milliseconds that threads with resources (`hold`) get to end by themselves after `stop`. */
  readonly stopTimeout?: number
}

interface PendingQuestion {
  readonly answers: unknown[]
  missing: number
  readonly resolve: (answers: readonly unknown[]) => void
  readonly reject: (reason: Error) => void
}

/**
 * Threads that share the flows of a capture. Each reads the whole capture and follows the flows of its shard. A thread
 * opens a file itself; `share` sends it a source that can be read only once. An error in a thread rejects the call that
 * waits for it.
 */
export class ShardPool {
  readonly #threads: readonly Thread[]
  readonly #options: ShardPoolOptions
  readonly #bytesInFlight: Int32Array
  readonly #states: Int32Array
  readonly #slots: readonly Uint8Array[]
  /** By slot, the threads that have not read it yet. */
  readonly #readers: number[]
  readonly #last = new Map<number, unknown>()
  /** Threads that have done their work. */
  readonly #waiting = new Set<number>()
  readonly #pending = new Map<number, PendingQuestion>()
  /** The exit codes of the threads, once all have ended. */
  readonly statuses: Promise<readonly number[]>
  #lastId = 0
  #taking: Promise<void> = Promise.resolve()
  #failure: Error | undefined
  #stopping: Promise<void> | undefined
  #waiters: (() => void)[] = []

  constructor(options: ShardPoolOptions) {
    const { shards, entry, data } = options
    const most = Math.max(0, ...shards.map(({ count }) => count))
    const bytesInFlight = new SharedArrayBuffer(most * Int32Array.BYTES_PER_ELEMENT)
    const states = new SharedArrayBuffer(bytesInFlight.byteLength)
    const slots = Array.from({ length: SLOTS }, () => new SharedArrayBuffer(SLOT_BYTES))
    this.#bytesInFlight = new Int32Array(bytesInFlight)
    this.#states = new Int32Array(states)
    this.#slots = slots.map((slot) => new Uint8Array(slot))
    this.#readers = slots.map(() => 0)
    this.#options = options
    const starts = shards.map(
      ({ index, count }): ShardStart => ({ index, count, bytesInFlight, states, slots, data }),
    )
    this.#threads = startAll(entry, starts)
    for (const [at, thread] of this.#threads.entries()) {
      const { index } = shards[at]!
      thread.on('message', (message: FromShard) => this.#onMessage(message, index))
      thread.on('error', (error) => this.#fail(error))
      thread.on('exit', (code) => {
        if (!this.#last.has(index)) this.#fail(new Error(`a dissecting thread ended with status ${code}`))
      })
    }
    this.statuses = Promise.all(
      this.#threads.map((thread) => new Promise<number>((resolve) => thread.once('exit', resolve))),
    )
  }

  /** Asks all threads and resolves with their answers. They must not have ended. */
  ask(question: unknown): Promise<readonly unknown[]> {
    if (this.#failure) return Promise.reject(this.#failure)
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { answers: [], missing: this.#threads.length, resolve, reject })
      this.#broadcast({ kind: 'ask', id, question })
    })
  }

  /** Resolves once all threads wait to be dismissed, or have ended, and their results were taken. */
  async idle(): Promise<void> {
    await this.#until(() => this.#waiting.size === this.#threads.length)
    await this.#taking
    if (this.#failure) throw this.#failure
  }

  /** Lets waiting threads continue. */
  dismiss(): void {
    this.#broadcast({ kind: 'dismiss' })
  }

  /** Yields the chunks of a source that can be read only once, and sends them to the threads. */
  async *share(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of chunks) {
        for (let at = 0; at < chunk.length; at += SLOT_BYTES)
          await this.#post(chunk.subarray(at, at + SLOT_BYTES))
        yield chunk
      }
    } finally {
      this.#broadcast({ kind: 'chunk', slot: 0, length: 0 })
    }
  }

  /** Yields the chunks of a source that the threads read themselves; throws as soon as one of them fails. */
  async *accompany(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      if (this.#failure) throw this.#failure
      yield chunk
    }
  }

  /** Resolves with the final value of each thread, after all results were taken. */
  async end(): Promise<readonly unknown[]> {
    await this.#until(() => this.#last.size === this.#threads.length)
    await this.#taking
    if (this.#failure) throw this.#failure
    return [...this.#last].sort(([one], [other]) => one - other).map(([, last]) => last)
  }

  /** Ends the threads at once. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop()
    return this.#stopping
  }

  async #stop(): Promise<void> {
    this.#fail(new Error('stopped'))
    const { stopTimeout } = this.#options
    if (stopTimeout !== undefined) {
      for (const [at, thread] of this.#threads.entries()) {
        // A thread without resources is not waited for.
        if (this.#isFree(at)) void thread.terminate()
        else thread.postMessage({ kind: 'leave' } satisfies ToShard)
      }
      const timer = new AbortController()
      await Promise.race([this.statuses, setTimeout(stopTimeout, undefined, timer).catch(() => undefined)])
      timer.abort()
    }
    await Promise.all(this.#threads.map((thread) => thread.terminate()))
  }

  #isFree(at: number): boolean {
    const { free, ended } = shardState
    return Atomics.compareExchange(this.#states, this.#options.shards[at]!.index, free, ended) === free
  }

  #broadcast(message: ToShard): void {
    for (const thread of this.#threads) thread.postMessage(message)
  }

  async #post(part: Uint8Array): Promise<void> {
    await this.#until(() => this.#readers.includes(0))
    const slot = this.#readers.indexOf(0)
    this.#slots[slot]!.set(part)
    this.#readers[slot] = this.#threads.length
    this.#broadcast({ kind: 'chunk', slot, length: part.length })
  }

  #onMessage(message: FromShard, shard: number): void {
    if (this.#stopping) return
    if (message.kind === 'result') this.#accept(message.result, message.bytes, shard)
    else if (message.kind === 'read') this.#readers[message.slot]!--
    else if (message.kind === 'answer') this.#answered(message.id, message.answer, shard)
    else {
      this.#waiting.add(shard)
      if (message.kind === 'ended') this.#last.set(shard, message.last)
    }
    this.#wake()
  }

  /** One after the other: `take` may wait for a disk. */
  #accept(result: unknown, bytes: number, shard: number): void {
    const release = () => {
      Atomics.sub(this.#bytesInFlight, shard, bytes)
      Atomics.notify(this.#bytesInFlight, shard)
    }
    this.#taking = this.#taking
      .then(() => (this.#failure === undefined ? this.#options.take(result, shard, release) : undefined))
      .catch((error: unknown) => this.#fail(error instanceof Error ? error : new Error(String(error))))
  }

  #answered(id: number, answer: unknown, shard: number): void {
    const asked = this.#pending.get(id)
    if (asked === undefined) return
    asked.answers[shard] = answer
    if (--asked.missing > 0) return
    this.#pending.delete(id)
    // `values` skips missing shards.
    asked.resolve(Object.values(asked.answers))
  }

  #fail(error: Error): void {
    this.#failure ??= error
    for (const { reject } of this.#pending.values()) reject(this.#failure)
    this.#pending.clear()
    this.#wake()
  }

  #wake(): void {
    for (const wake of this.#waiters.splice(0)) wake()
  }

  async #until(isSo: () => boolean): Promise<void> {
    while (this.#failure === undefined && !isSo())
      await new Promise<void>((resolve) => this.#waiters.push(resolve))
    if (this.#failure) throw this.#failure
  }
}

/** All or none: if a thread cannot start, the others must not wait for it forever. */
function startAll(entry: URL, starts: readonly ShardStart[]): Thread[] {
  const threads: Thread[] = []
  try {
    for (const workerData of starts)
      threads.push(new Thread(entry, { workerData, resourceLimits: { maxOldGenerationSizeMb: HEAP_MB } }))
    return threads
  } catch (error) {
    for (const thread of threads) void thread.terminate()
    throw new Error(`a thread could not be started: ${(error as Error).message}`, { cause: error })
  }
}
