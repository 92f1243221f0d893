import { type Call, CallUnpacker, type HandedOver } from '@tapdeck/dissect'
import type { Flow } from '@tapdeck/wire'
import type { ShardFinds } from './shard-task.ts'

/** What one thread handed over, as far as it was not taken yet. */
class Queue {
  readonly #unpacker = new CallUnpacker()
  #finds: ShardFinds[] = []

  push(finds: ShardFinds): void {
    this.#finds.push(finds)
  }

  /** The first entry up to a parcel; `next` moves on. */
  head: HandedOver | undefined

  /** Begins with what was found up to `parcel`. */
  open(parcel: number): void {
    this.#parcel = parcel
    this.next()
  }

  next(): void {
    this.head = this.#unpacker.next()
    while (this.head === undefined && this.#finds.length > 0 && this.#finds[0]!.parcel <= this.#parcel) {
      this.#unpacker.open(this.#finds.shift()!.calls)
      this.head = this.#unpacker.next()
    }
  }

  #parcel = 0
}

export interface Taker {
  call(call: Call, wanted: boolean): void
  flow(flow: Flow): void
}

/** Puts what several threads found into the order in which one thread would have: by the packets that it came up at. */
export class ShardMerge {
  readonly #queues: readonly Queue[]
  readonly #taker: Taker
  #parcel = 0

  constructor(count: number, taker: Taker) {
    this.#queues = Array.from({ length: count }, () => new Queue())
    this.#taker = taker
  }

  add(finds: ShardFinds, shard: number): void {
    this.#queues[shard]!.push(finds)
  }

  /** All threads have read the next parcel, and handed over what they found in it. */
  parcelTaken(): void {
    this.#take(this.#parcel++)
  }

  end(): void {
    this.#take(Number.POSITIVE_INFINITY)
  }

  #take(parcel: number): void {
    for (const queue of this.#queues) queue.open(parcel)
    for (;;) {
      let first: Queue | undefined
      for (const queue of this.#queues)
        if (queue.head && (!first?.head || queue.head.place < first.head.place)) first = queue
      const head = first?.head
      if (first === undefined || head === undefined) return
      if ('call' in head) this.#taker.call(head.call, head.wanted)
      else this.#taker.flow(head.closed)
      first.next()
    }
  }
}
