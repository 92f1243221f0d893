import { Worker as Thread } from 'node:worker_threads'
import { Dealer } from './dealer.ts'
import { PARCEL_BYTES, Parcel } from './parcel.ts'
import type { FromShard, ShardStart, ToShard } from './thread-message.ts'

/** More threads than this help nobody; their number fits in a byte of the journal. */
export const MOST_THREADS = 64
/** Heap of a thread; buffers lie outside of it and have bounds of their own. */
const HEAP_MB = 2048

export interface CrewOptions {
  readonly threads: number
  /** The bundle that a thread runs; it calls `serveShard`. */
  readonly entry: URL
  /** For the threads; plain data. */
  readonly data: unknown
  /** Takes a result of a thread. Threads do not run far ahead of what this awaits. */
  take(result: unknown, shard: number): void | Promise<void>
  /** All that the threads found in one more parcel was taken. */
  parcelTaken?(): void | Promise<void>
}

/**
 * Threads that share the flows of a capture between them. One walks through its packets and deals them out; the bytes
 * lie in shared memory and are never copied again. Whatever goes wrong in a thread fails the call that waits for it.
 */
export class Crew {
  /** Where the packets of the capture go. */
  readonly dealer: Dealer
  readonly #threads: readonly Thread[]
  readonly #options: CrewOptions
  readonly #underway: Int32Array
  readonly #free: Parcel[]
  readonly #parcels: readonly Parcel[]
  readonly #last: unknown[] = []
  #ended = 0
  #taking: Promise<void> = Promise.resolve()
  #failure: Error | undefined
  #stopped = false
  #wake: () => void = () => undefined

  constructor(options: CrewOptions) {
    const { threads: count, entry, data } = options
    const underway = new SharedArrayBuffer(count * Int32Array.BYTES_PER_ELEMENT)
    this.#underway = new Int32Array(underway)
    this.#options = options
    this.dealer = new Dealer(count)
    this.#parcels = Array.from({ length: count + 3 }, (_, number) => new Parcel(number))
    this.#free = [...this.#parcels]
    this.#threads = Array.from({ length: count }, (_, index) => {
      const start: ShardStart = { index, count, underway, data }
      const thread = new Thread(entry, {
        workerData: start,
        resourceLimits: { maxOldGenerationSizeMb: HEAP_MB },
      })
      thread.on('message', (message: FromShard) => this.#hear(message, index))
      thread.on('error', (error) => this.#fail(error))
      thread.on('exit', (code) =>
        this.#fail(new Error(`a dissecting thread ended with status ${code}`), index),
      )
      return thread
    })
  }

  /** Lets `read` walk through bytes of the capture; the packets that it gives the dealer go to the threads. */
  async feed(chunk: Uint8Array, read: (bytes: Uint8Array) => void): Promise<void> {
    for (let at = 0; at === 0 || at < chunk.length; at += PARCEL_BYTES) {
      const part = chunk.subarray(at, at + PARCEL_BYTES)
      await this.#deal((parcel) => {
        parcel.bytes.set(part)
        read(parcel.bytes.subarray(0, part.length))
      })
    }
  }

  async #deal(walk: (parcel: Parcel) => void): Promise<void> {
    await this.#until(() => this.#free.length > 0)
    const parcel = this.#free.pop()!
    parcel.clear()
    this.dealer.open(parcel)
    try {
      walk(parcel)
    } finally {
      if (parcel.count === 0) this.#free.push(parcel)
      else this.#post(parcel)
    }
  }

  /** Resolves with the last word of each thread, after all that they found was taken. */
  async end(): Promise<readonly unknown[]> {
    for (const thread of this.#threads) thread.postMessage({ kind: 'end' } satisfies ToShard)
    await this.#until(() => this.#ended === this.#threads.length)
    await this.#taking
    if (this.#failure) throw this.#failure
    return this.#last
  }

  /** Ends the threads, whatever they are at. */
  async stop(): Promise<void> {
    this.#stopped = true
    this.#failure ??= new Error('stopped')
    this.#wake()
    await Promise.all(this.#threads.map((thread) => thread.terminate()))
  }

  #post(parcel: Parcel): void {
    const { number, count, bytes, spill, journal } = parcel
    parcel.readers = this.#threads.length
    const message: ToShard = {
      kind: 'parcel',
      number,
      count,
      bytes: bytes.buffer as SharedArrayBuffer,
      spill: spill.buffer as SharedArrayBuffer,
      journal: journal.buffer,
    }
    for (const thread of this.#threads) thread.postMessage(message)
  }

  #hear(message: FromShard, shard: number): void {
    if (this.#stopped) return
    if (message.kind === 'result') this.#accept(message.result, message.bytes, shard)
    else if (message.kind === 'read') {
      const parcel = this.#parcels[message.number]!
      if (--parcel.readers === 0) {
        this.#free.push(parcel)
        if (this.#options.parcelTaken) this.#then(() => this.#options.parcelTaken?.())
      }
    } else {
      this.#last[shard] = message.last
      this.#ended++
    }
    this.#wake()
  }

  #accept(result: unknown, bytes: number, shard: number): void {
    this.#then(() => this.#options.take(result, shard))
    this.#taking = this.#taking.then(() => {
      Atomics.sub(this.#underway, shard, bytes)
      Atomics.notify(this.#underway, shard)
    })
  }

  /** One after the other: whoever takes results may have to wait for a disk. */
  #then(step: () => void | Promise<void>): void {
    this.#taking = this.#taking
      .then(() => (this.#failure === undefined ? step() : undefined))
      .catch((error: unknown) => this.#fail(error instanceof Error ? error : new Error(String(error))))
  }

  #fail(error: Error, shard?: number): void {
    if (shard !== undefined && shard in this.#last) return
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
