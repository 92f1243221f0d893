import type { TcpConnection } from './tcp-connection.ts'
import { FIRST_TIMED, LAST_TIMED, TIMED } from './tcp-row.ts'

const FIRST_CAPACITY = 1024
const MAX_CAPACITY = 262_144
/** Segments of one sender that are timed at once. */
const MAX_TIMED = 64

/**
 * Times each new segment until it is acknowledged: one list an end, all in shared typed arrays. Samples of both
 * directions count alike, as in tcp.analysis.ack_rtt. If the arrays are full, further segments are not timed.
 */
export class RoundTrips {
  #capacity = FIRST_CAPACITY
  #ends = new Int32Array(FIRST_CAPACITY)
  #times = new Float64Array(FIRST_CAPACITY)
  #next = new Int32Array(FIRST_CAPACITY)
  /** The first free cell; -1: none. */
  #free = -1
  /** How many cells were ever used. */
  #used = 0

  /** A new segment that ends at `stop` was sent. */
  sent({ ints }: TcpConnection, from: number, stop: number, time: number): void {
    const timed = ints[from + TIMED]
    if (timed >= MAX_TIMED) return
    let cell = this.#free
    if (cell >= 0) this.#free = this.#next[cell]
    else if (this.#used < this.#capacity || this.#grow()) cell = this.#used++
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
      this.#next[cell] = this.#free
      this.#free = cell
    }
  }

  /** When the oldest segment was sent that is timed and not acknowledged; undefined: none is. */
  oldest({ ints }: TcpConnection, from: number): number | undefined {
    return ints[from + TIMED] === 0 ? undefined : this.#times[ints[from + FIRST_TIMED]]
  }

  /** After a retransmission, an acknowledgement is ambiguous (Karn's algorithm). */
  forget({ ints }: TcpConnection, from: number): void {
    if (ints[from + TIMED] === 0) return
    this.#next[ints[from + LAST_TIMED]] = this.#free
    this.#free = ints[from + FIRST_TIMED]
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
