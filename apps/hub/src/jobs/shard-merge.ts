import { type Call, CallUnpacker, type HandedOver } from '@tapdeck/dissect'
import type { Flow } from '@tapdeck/wire'
import type { ShardFinds } from './shard-task.ts'

interface Batch {
  readonly calls: Uint8Array<ArrayBuffer>
  release(): void
}

/** What one thread handed over, as far as it was not taken yet. */
class Queue {
  /** The first entry; undefined where there is none. */
  head: HandedOver | undefined
  readonly #unpacker = new CallUnpacker()
  readonly #batches: Batch[] = []
  /** Where the next entry that is not here yet can stand at the earliest. */
  #reached = 0

  /** Where its next entry stands, or can stand. */
  get place(): number {
    return this.head?.place ?? this.#reached
  }

  push({ calls, place }: ShardFinds, release: () => void): void {
    this.#batches.push({ calls, release })
    this.#reached = place
    if (this.head === undefined) this.next()
  }

  next(): void {
    this.head = this.#unpacker.next()
    while (this.head === undefined && this.#batches.length > 0) {
      const { calls, release } = this.#batches.shift()!
      this.#unpacker.open(calls)
      release()
      this.head = this.#unpacker.next()
    }
  }
}

export interface Taker {
  call(call: Call, wanted: boolean): void
  flow(flow: Flow): void
}

/**
 * Puts what several threads found into the order in which one thread would have: by the packets that it came up at. What
 * comes from a thread that is ahead of others waits for them, and so does the thread, since it is not released.
 */
export class ShardMerge {
  readonly #queues: readonly Queue[]
  readonly #taker: Taker

  constructor(count: number, taker: Taker) {
    this.#queues = Array.from({ length: count }, () => new Queue())
    this.#taker = taker
  }

  add(finds: ShardFinds, shard: number, release: () => void): void {
    this.#queues[shard]!.push(finds, release)
    for (;;) {
      let first = this.#queues[0]!
      for (const queue of this.#queues) if (queue.place < first.place) first = queue
      const { head } = first
      if (head === undefined) return
      if ('call' in head) this.#taker.call(head.call, head.wanted)
      else this.#taker.flow(head.closed)
      first.next()
    }
  }
}
