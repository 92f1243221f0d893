import type { TimedCells } from '../accelerated/plain-segments.ts'
import type { TcpConnection } from './tcp-connection.ts'
import { FIRST_TIMED, LAST_TIMED, TIMED } from './tcp-row.ts'

const FIRST_CAPACITY = 1024
const MAX_CAPACITY = 262_144
/** The first cell that is free, and how many were ever used. */
const FREE = 0
const USED = 1
/** Segments of one sender that are timed at once. */
export const MAX_TIMED = 64

/**
 * Times each new segment until it is acknowledged: one list an end, all in shared typed arrays. Samples of both
 * directions count alike, as in tcp.analysis.ack_rtt. If the arrays are full, further segments are not timed.
 */
export class RoundTrips {
  #capacity = FIRST_CAPACITY
  #ends = new Int32Array(FIRST_CAPACITY)
  #times = new Float64Array(FIRST_CAPACITY)
  #next = new Int32Array(FIRST_CAPACITY)
  #heads = new Int32Array([-1, 0])

  /** Nothing is timed now. From now on the cells are in this memory, or in arrays of its own. */
  useMemory(cells: TimedCells | undefined): void {
    this.#capacity = cells?.ends.length ?? FIRST_CAPACITY
    this.#ends = cells?.ends ?? new Int32Array(FIRST_CAPACITY)
    this.#times = cells?.times ?? new Float64Array(FIRST_CAPACITY)
    this.#next = cells?.next ?? new Int32Array(FIRST_CAPACITY)
    this.#heads = cells?.heads ?? new Int32Array(2)
    this.#heads[FREE] = -1
    this.#heads[USED] = 0
  }

  /** A new segment that ends at `stop` was sent. */
  sent({ ints }: TcpConnection, from: number, stop: number, time: number): void {
    const timed = ints[from + TIMED]
    if (timed >= MAX_TIMED) return
    const heads = this.#heads
    let cell = heads[FREE]
    if (cell >= 0) heads[FREE] = this.#next[cell]
    else if (heads[USED] < this.#capacity || this.#grow()) cell = heads[USED]++
    else return
    this.#ends[cell] = stop
    this.#times[cell] = time
    this.#next[cell] = -1
    if (timed === 0) ints[from + FIRST_TIMED] = cell
    else this.#next[ints[from + LAST_TIMED]] = cell
    ints[from + LAST_TIMED] = cell
    ints[from + TIMED] = timed + 1
  }

  /** The other end acknowledged all before `ack`. Only the segment that it names exactly is a sample. */
  acknowledged(connection: TcpConnection, from: number, ack: number, time: number): void {
    const { ints } = connection
    while (ints[from + TIMED] > 0) {
      const cell = ints[from + FIRST_TIMED]
      const ahead = (this.#ends[cell] - ack) | 0
      if (ahead > 0) return
      if (ahead === 0) connection.sample(time - this.#times[cell])
      ints[from + FIRST_TIMED] = this.#next[cell]
      ints[from + TIMED]--
      this.#next[cell] = this.#heads[FREE]
      this.#heads[FREE] = cell
    }
  }

  /** After a retransmission, an acknowledgement is ambiguous (Karn's algorithm). */
  forget({ ints }: TcpConnection, from: number): void {
    if (ints[from + TIMED] === 0) return
    this.#next[ints[from + LAST_TIMED]] = this.#heads[FREE]
    this.#heads[FREE] = ints[from + FIRST_TIMED]
    ints[from + TIMED] = 0
  }

  #grow(): boolean {
    if (this.#capacity >= MAX_CAPACITY) return false
    this.#capacity *= 2
    const ends = new Int32Array(this.#capacity)
    ends.set(this.#ends)
    this.#ends = ends
    const next = new Int32Array(this.#capacity)
    next.set(this.#next)
    this.#next = next
    const times = new Float64Array(this.#capacity)
    times.set(this.#times)
    this.#times = times
    return true
  }
}
