import { Worker as Thread } from 'node:worker_threads'
import type { Shard } from '@tapdeck/wire'
import type { FromShard, ShardStart, ToShard } from './thread-message.ts'

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
  readonly #slots: readonly Uint8Array[]
  /** By slot, the threads that have not read it yet. */
  readonly #readers: number[]
  readonly #last = new Map<number, unknown>()
  #taking: Promise<void> = Promise.resolve()
  #failure: Error | undefined
  #stopped = false
  #wake: () => void = () => undefined

  constructor(options: CrewOptions) {
    const { shards, entry, data } = options
    const most = Math.max(0, ...shards.map(({ count }) => count))
    const underway = new SharedArrayBuffer(most * Int32Array.BYTES_PER_ELEMENT)
    const slots = Array.from({ length: SLOTS }, () => new SharedArrayBuffer(SLOT_BYTES))
    this.#underway = new Int32Array(underway)
    this.#slots = slots.map((slot) => new Uint8Array(slot))
    this.#readers = slots.map(() => 0)
    this.#options = options
    this.#threads = shards.map(({ index, count }) => {
      const start: ShardStart = { index, count, underway, slots, data }
      const thread = new Thread(entry, {
        workerData: start,
        resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
      })
      thread.on('message', (message: FromShard) => this.#hear(message, index))
      thread.on('error', (error) => this.#fail(error))
      thread.on('exit', (code) => {
        if (!this.#last.has(index)) this.#fail(new Error(`a dissecting thread ended with status ${code}`))
      })
      return thread
    })
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
      for (const thread of this.#threads) thread.postMessage({ slot: 0, length: 0 } satisfies ToShard)
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
  async stop(): Promise<void> {
    this.#stopped = true
    this.#failure ??= new Error('stopped')
    this.#wake()
    await Promise.all(this.#threads.map((thread) => thread.terminate()))
  }

  async #post(part: Uint8Array): Promise<void> {
    await this.#until(() => this.#readers.includes(0))
    const slot = this.#readers.indexOf(0)
    this.#slots[slot]!.set(part)
    this.#readers[slot] = this.#threads.length
    for (const thread of this.#threads) thread.postMessage({ slot, length: part.length } satisfies ToShard)
  }

  #hear(message: FromShard, shard: number): void {
    if (this.#stopped) return
    if (message.kind === 'result') this.#accept(message.result, message.bytes, shard)
    else if (message.kind === 'read') this.#readers[message.slot]!--
    else this.#last.set(shard, message.last)
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

  #fail(error: Error): void {
    this.#failure ??= error
    this.#wake()
  }

  async #until(isSo: () => boolean): Promise<void> {
    while (this.#failure === undefined && !isSo())
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    if (this.#failure) throw this.#failure
  }
}
