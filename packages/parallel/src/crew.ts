import { setTimeout } from 'node:timers/promises'
import { Worker as Thread } from 'node:worker_threads'
import type { Shard } from '@tapdeck/wire'
import { type FromShard, type ShardStart, standing, type ToShard } from './thread-message.ts'

/** More threads than this help nobody. */
export const MOST_THREADS = 64
/** Heap of a thread; buffers lie outside of it and have bounds of their own. */
const HEAP_MB = 2048
/** Shared chunks that a thread may lag behind. */
const SLOTS = 8
const SLOT_BYTES = 1 << 20

export interface CrewOptions {
  /** Each gets a thread. Whoever starts the crew may have kept one for itself. */
  readonly shards: readonly Shard[]
  /** The bundle that a thread runs; it calls `serveShard`. */
  readonly entry: URL
  /** For the threads; plain data. */
  readonly data: unknown
  /**
   * Takes a result of a thread, one after the other. A thread does not run far ahead of those that were released, be it
   * here or later.
   */
  take(result: unknown, shard: number, release: () => void): void | Promise<void>
  /** Milliseconds that threads get to end by themselves when they are stopped: for those that hold more than memory (`hold`). */
  readonly farewell?: number
}

interface Asked {
  readonly answers: unknown[]
  missing: number
  readonly resolve: (answers: readonly unknown[]) => void
  readonly reject: (reason: Error) => void
}

/**
 * Threads that share the flows of a capture between them. Each reads all of it and follows the flows of its shard: a file
 * it opens itself, and what can be read only once it is given (`share`). Whatever goes wrong in a thread fails the call
 * that waits for it.
 */
export class Crew {
  readonly #threads: readonly Thread[]
  readonly #options: CrewOptions
  readonly #underway: Int32Array
  readonly #standings: Int32Array
  readonly #slots: readonly Uint8Array[]
  /** By slot, the threads that have not read it yet. */
  readonly #readers: number[]
  readonly #last = new Map<number, unknown>()
  /** Threads that have done their work. */
  readonly #waiting = new Set<number>()
  readonly #asked = new Map<number, Asked>()
  /** What the threads ended with, once they all have. */
  readonly statuses: Promise<readonly number[]>
  #lastId = 0
  #taking: Promise<void> = Promise.resolve()
  #failure: Error | undefined
  #stopping: Promise<void> | undefined
  #sleepers: (() => void)[] = []

  constructor(options: CrewOptions) {
    const { shards, entry, data } = options
    const most = Math.max(0, ...shards.map(({ count }) => count))
    const underway = new SharedArrayBuffer(most * Int32Array.BYTES_PER_ELEMENT)
    const standings = new SharedArrayBuffer(underway.byteLength)
    const slots = Array.from({ length: SLOTS }, () => new SharedArrayBuffer(SLOT_BYTES))
    this.#underway = new Int32Array(underway)
    this.#standings = new Int32Array(standings)
    this.#slots = slots.map((slot) => new Uint8Array(slot))
    this.#readers = slots.map(() => 0)
    this.#options = options
    const starts = shards.map(
      ({ index, count }): ShardStart => ({ index, count, underway, standings, slots, data }),
    )
    this.#threads = startAll(entry, starts)
    for (const [at, thread] of this.#threads.entries()) {
      const { index } = shards[at]!
      thread.on('message', (message: FromShard) => this.#hear(message, index))
      thread.on('error', (error) => this.#fail(error))
      thread.on('exit', (code) => {
        if (!this.#last.has(index)) this.#fail(new Error(`a dissecting thread ended with status ${code}`))
      })
    }
    this.statuses = Promise.all(
      this.#threads.map((thread) => new Promise<number>((resolve) => thread.once('exit', resolve))),
    )
  }

  /** Asks all threads, and resolves with what each of them answers. They must not have ended. */
  ask(question: unknown): Promise<readonly unknown[]> {
    if (this.#failure) return Promise.reject(this.#failure)
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { answers: [], missing: this.#threads.length, resolve, reject })
      this.#tell({ kind: 'ask', id, question })
    })
  }

  /** Resolves once all threads wait to be dismissed, or have ended, and what they found was taken. */
  async idle(): Promise<void> {
    await this.#until(() => this.#waiting.size === this.#threads.length)
    await this.#taking
    if (this.#failure) throw this.#failure
  }

  /** Threads that wait to be dismissed go on. */
  dismiss(): void {
    this.#tell({ kind: 'dismiss' })
  }

  /** The chunks of a source that can be read only once: the threads get each of them, too, as their next source. */
  async *share(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of chunks) {
        for (let at = 0; at < chunk.length; at += SLOT_BYTES)
          await this.#post(chunk.subarray(at, at + SLOT_BYTES))
        yield chunk
      }
    } finally {
      this.#tell({ kind: 'chunk', slot: 0, length: 0 })
    }
  }

  /** The chunks of a source that the threads read for themselves; throws as soon as one of them has failed. */
  async *accompany(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of chunks) {
      if (this.#failure) throw this.#failure
      yield chunk
    }
  }

  /** Resolves with the last word of each thread, after all that they found was taken. */
  async end(): Promise<readonly unknown[]> {
    await this.#until(() => this.#last.size === this.#threads.length)
    await this.#taking
    if (this.#failure) throw this.#failure
    return [...this.#last].sort(([one], [other]) => one - other).map(([, last]) => last)
  }

  /** Ends the threads, whatever they are at. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop()
    return this.#stopping
  }

  async #stop(): Promise<void> {
    this.#fail(new Error('stopped'))
    const { farewell } = this.#options
    if (farewell !== undefined) {
      for (const [at, thread] of this.#threads.entries()) {
        // Those that have only just started are not waited for.
        if (this.#isFree(at)) void thread.terminate()
        else thread.postMessage({ kind: 'leave' } satisfies ToShard)
      }
      const timer = new AbortController()
      await Promise.race([this.statuses, setTimeout(farewell, undefined, timer).catch(() => undefined)])
      timer.abort()
    }
    await Promise.all(this.#threads.map((thread) => thread.terminate()))
  }

  #isFree(at: number): boolean {
    const { free, ended } = standing
    return Atomics.compareExchange(this.#standings, this.#options.shards[at]!.index, free, ended) === free
  }

  #tell(message: ToShard): void {
    for (const thread of this.#threads) thread.postMessage(message)
  }

  async #post(part: Uint8Array): Promise<void> {
    await this.#until(() => this.#readers.includes(0))
    const slot = this.#readers.indexOf(0)
    this.#slots[slot]!.set(part)
    this.#readers[slot] = this.#threads.length
    this.#tell({ kind: 'chunk', slot, length: part.length })
  }

  #hear(message: FromShard, shard: number): void {
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

  /** One after the other: whoever takes results may have to wait for a disk. */
  #accept(result: unknown, bytes: number, shard: number): void {
    const release = () => {
      Atomics.sub(this.#underway, shard, bytes)
      Atomics.notify(this.#underway, shard)
    }
    this.#taking = this.#taking
      .then(() => (this.#failure === undefined ? this.#options.take(result, shard, release) : undefined))
      .catch((error: unknown) => this.#fail(error instanceof Error ? error : new Error(String(error))))
  }

  #answered(id: number, answer: unknown, shard: number): void {
    const asked = this.#asked.get(id)
    if (asked === undefined) return
    asked.answers[shard] = answer
    if (--asked.missing > 0) return
    this.#asked.delete(id)
    // Without holes, where shards are missing.
    asked.resolve(Object.values(asked.answers))
  }

  #fail(error: Error): void {
    this.#failure ??= error
    for (const { reject } of this.#asked.values()) reject(this.#failure)
    this.#asked.clear()
    this.#wake()
  }

  #wake(): void {
    for (const wake of this.#sleepers.splice(0)) wake()
  }

  async #until(isSo: () => boolean): Promise<void> {
    while (this.#failure === undefined && !isSo())
      await new Promise<void>((resolve) => this.#sleepers.push(resolve))
    if (this.#failure) throw this.#failure
  }
}

/** All or none: where there may be no more threads, the first of them must not wait for the others for ever. */
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
