import { copyOf } from '../../memory/arena.ts'
import type { Allowance } from '../../memory/budget.ts'
import type { StreamPart } from './frames.ts'

/** Parts of one stream that wait for those before them, and their bytes. */
const MAX_PARTS = 512
const MAX_WAITING_BYTES = 1024 * 1024
/** What a part that waits takes beside its bytes, which may be one. */
const OVERHEAD = 256

interface WaitingPart {
  readonly offset: number
  readonly bytes: Uint8Array
}

/** Takes the bytes of a stream in order. `isAfterGap`: bytes before these are missing. */
export type TakeBytes = (bytes: Uint8Array, isLast: boolean, isAfterGap: boolean) => void

const NOTHING = new Uint8Array(0)

/** Puts the parts of one direction of a stream in order. They come in any order and more than once: RFC 9000 §2.2. */
export class StreamBytes {
  readonly #budget: Allowance
  readonly #take: TakeBytes
  #next = 0
  #end = Number.POSITIVE_INFINITY
  #waiting: WaitingPart[] = []
  #waitingBytes = 0
  #isAfterGap = false
  isDone = false

  constructor(budget: Allowance, take: TakeBytes) {
    this.#budget = budget
    this.#take = take
  }

  add({ offset, bytes, start, end, isLast }: StreamPart): void {
    if (this.isDone) return
    const stop = offset + end - start
    if (isLast) this.#end = stop
    if (offset <= this.#next) this.#deliver(offset, bytes.subarray(start, end))
    else this.#wait(offset, copyOf(bytes, start, end))
    this.#drain()
  }

  /** Nothing more will come: passes on what waits, with gaps. */
  finish(): void {
    while (this.#waiting.length > 0 && !this.isDone) this.#skipGap()
    this.#release()
  }

  #deliver(offset: number, bytes: Uint8Array): void {
    const fresh = bytes.subarray(Math.min(bytes.length, this.#next - offset))
    this.#next += fresh.length
    const isLast = this.#next >= this.#end
    if (fresh.length === 0 && !isLast) return
    this.isDone = isLast
    this.#take(fresh, isLast, this.#isAfterGap)
    this.#isAfterGap = false
    if (isLast) this.#release()
  }

  #wait(offset: number, bytes: Uint8Array): void {
    const cost = bytes.length + OVERHEAD
    // What is missing was probably not captured, so it is given up for.
    while (
      this.#waiting.length > 0 &&
      !this.isDone &&
      (this.#waiting.length >= MAX_PARTS || this.#waitingBytes + cost > MAX_WAITING_BYTES)
    )
      this.#skipGap()
    if (this.isDone) return
    if (offset <= this.#next || cost > MAX_WAITING_BYTES || !this.#budget.take(cost)) {
      this.#jump(offset)
      this.#deliver(offset, bytes)
      return
    }
    let at = this.#waiting.length
    while (at > 0 && this.#waiting[at - 1].offset > offset) at--
    this.#waiting.splice(at, 0, { offset, bytes })
    this.#waitingBytes += cost
  }

  #skipGap(): void {
    const [first] = this.#waiting
    if (first !== undefined) this.#jump(first.offset)
    this.#drain()
  }

  #jump(offset: number): void {
    if (offset <= this.#next) return
    this.#next = offset
    this.#isAfterGap = true
  }

  #drain(): void {
    while (this.#waiting.length > 0 && this.#waiting[0].offset <= this.#next && !this.isDone) {
      const [{ offset, bytes }] = this.#waiting.splice(0, 1)
      this.#waitingBytes -= bytes.length + OVERHEAD
      this.#budget.give(bytes.length + OVERHEAD)
      this.#deliver(offset, bytes)
    }
    if (!this.isDone && this.#next >= this.#end) this.#deliver(this.#next, NOTHING)
  }

  #release(): void {
    this.#budget.give(this.#waitingBytes)
    this.#waitingBytes = 0
    this.#waiting = []
  }
}
