import { settledOrder } from './settled-order.ts'
import type { Spool } from './spool.ts'

/** The calls of a batch, as far as their order goes. */
export interface CallKeys {
  readonly count: number
  /** Of each call, when it began, and its flow. */
  readonly starts: Float64Array
  readonly flows: Float64Array
}

/** A batch whose keys are put away, in order: where, and the first of them. */
export interface FiledKeys {
  readonly count: number
  readonly block: number
  readonly start: number
  readonly flow: number
}

/** Keys of a batch that are at hand at once. */
const AT_HAND = 256

/** Puts the keys of a batch away in the order of its calls: times, then flows, then rows. */
export function fileKeys(spool: Spool, { count, starts, flows }: CallKeys): FiledKeys {
  const order = settledOrder([count], (a, b) => starts[a]! - starts[b]! || flows[a]! - flows[b]!)
  const numbers = new Float64Array(count * 2 + Math.ceil(count / 2))
  const rows = new Uint32Array(numbers.buffer, count * 16, count)
  for (let at = 0; at < count; at++) {
    const row = order[at]!
    numbers[at] = starts[row]!
    numbers[count + at] = flows[row]!
    rows[at] = row
  }
  const block = spool.put(new Uint8Array(numbers.buffer))
  return { count, block, start: numbers[0]!, flow: numbers[count]! }
}

/** A batch that is being read. */
class Cursor {
  readonly batch: number
  start = 0
  flow = 0
  row = 0
  readonly #keys: FiledKeys
  readonly #spool: Spool
  readonly #starts = new Float64Array(AT_HAND)
  readonly #flows = new Float64Array(AT_HAND)
  readonly #rows = new Uint32Array(AT_HAND)
  #at = -1

  constructor(batch: number, keys: FiledKeys, spool: Spool) {
    this.batch = batch
    this.#keys = keys
    this.#spool = spool
    this.next()
  }

  /** False where there is no more. */
  next(): boolean {
    const at = ++this.#at
    if (at === this.#keys.count) return false
    const place = at % AT_HAND
    if (place === 0) this.#fetch()
    this.start = this.#starts[place]!
    this.flow = this.#flows[place]!
    this.row = this.#rows[place]!
    return true
  }

  comesBefore(other: Cursor): boolean {
    if (this.start !== other.start) return this.start < other.start
    if (this.flow !== other.flow) return this.flow < other.flow
    return this.batch < other.batch
  }

  #fetch(): void {
    const { count, block } = this.#keys
    const { buffer, byteOffset } = this.#spool.open(block).bytes
    const from = this.#at
    const length = Math.min(AT_HAND, count - from)
    this.#starts.set(new Float64Array(buffer, byteOffset + from * 8, length))
    this.#flows.set(new Float64Array(buffer, byteOffset + (count + from) * 8, length))
    this.#rows.set(new Uint32Array(buffer, byteOffset + count * 16 + from * 4, length))
  }
}

/**
 * The calls of many batches in order of time, then flow. Calls of one flow come from one thread, in their order, so the order
 * is the same however many threads there were. Batches are read side by side while their times overlap, so that what is held is a
 * matter of how many do, and not of how many calls there are.
 */
export class OrderedCalls {
  /** Of the call that it has come to: its batch, its row there, and when it began. */
  batch = 0
  row = 0
  start = 0
  readonly #batches: readonly FiledKeys[]
  readonly #spool: Spool
  /** Those that are not read yet, in the order of their first calls. */
  readonly #waiting: Uint32Array
  #next = 0
  /** A heap: none comes before the one at half its place. */
  readonly #open: Cursor[] = []

  /** Nothing may be put into `spool` any more. */
  constructor(batches: readonly FiledKeys[], spool: Spool) {
    this.#batches = batches
    this.#spool = spool
    this.#waiting = Uint32Array.from(batches.keys()).sort(
      (a, b) => batches[a]!.start - batches[b]!.start || batches[a]!.flow - batches[b]!.flow || a - b,
    )
  }

  /** False where there is no more. */
  next(): boolean {
    if (this.#open.length > 0) this.#leave()
    this.#admit()
    const [first] = this.#open
    if (first === undefined) return false
    this.batch = first.batch
    this.row = first.row
    this.start = first.start
    return true
  }

  /** Goes on in the batch that the last call came from. */
  #leave(): void {
    const open = this.#open
    const first = open[0]!
    if (!first.next()) {
      const last = open.pop()!
      if (open.length === 0) return
      open[0] = last
    }
    this.#sink()
  }

  /** Opens batches whose first call may be the next. */
  #admit(): void {
    while (this.#next < this.#waiting.length) {
      const batch = this.#waiting[this.#next]!
      const keys = this.#batches[batch]!
      const [first] = this.#open
      if (first !== undefined && keys.start > first.start) return
      this.#next++
      this.#open.push(new Cursor(batch, keys, this.#spool))
      this.#rise()
    }
  }

  #rise(): void {
    const open = this.#open
    for (let at = open.length - 1; at > 0; ) {
      const above = (at - 1) >> 1
      if (open[above]!.comesBefore(open[at]!)) return
      this.#swap(at, above)
      at = above
    }
  }

  #sink(): void {
    const open = this.#open
    for (let at = 0; ; ) {
      let below = at * 2 + 1
      if (below >= open.length) return
      if (below + 1 < open.length && open[below + 1]!.comesBefore(open[below]!)) below++
      if (open[at]!.comesBefore(open[below]!)) return
      this.#swap(at, below)
      at = below
    }
  }

  #swap(at: number, other: number): void {
    const open = this.#open
    const cursor = open[at]!
    open[at] = open[other]!
    open[other] = cursor
  }
}
