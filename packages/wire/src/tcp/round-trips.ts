import type { TcpConnection } from './tcp-connection.ts'
import type { TcpSender } from './tcp-sender.ts'

const FIRST_CAPACITY = 1024
const MAX_CAPACITY = 262_144
/** Segments of one sender that are timed at once. */
const MAX_TIMED = 64

/**
 * Times each new segment until it is acknowledged: one list a sender, all in shared typed arrays. Samples of both
 * directions count alike, as in tcp.analysis.ack_rtt. Where the arrays are full, further segments go untimed.
 */
export class RoundTrips {
  #capacity = FIRST_CAPACITY
  #ends = new Int32Array(FIRST_CAPACITY)
  #times = new Float64Array(FIRST_CAPACITY)
  #next = new Int32Array(FIRST_CAPACITY)
  #used = 0
  #free = -1

  /** A new segment that ends at `end` was sent. */
  sent(sender: TcpSender, end: number, time: number): void {
    if (sender.timed >= MAX_TIMED) return
    let cell = this.#free
    if (cell >= 0) this.#free = this.#next[cell]
    else if (this.#used < this.#capacity || this.#grow()) cell = this.#used++
    else return
    this.#ends[cell] = end
    this.#times[cell] = time
    this.#next[cell] = -1
    if (sender.timed === 0) sender.firstTimed = cell
    else this.#next[sender.lastTimed] = cell
    sender.lastTimed = cell
    sender.timed++
  }

  /** The other end acknowledged all before `ack`. Only the segment that it names exactly is a sample. */
  acknowledged(connection: TcpConnection, sender: TcpSender, ack: number, time: number): void {
    while (sender.timed > 0) {
      const cell = sender.firstTimed
      const ahead = (this.#ends[cell] - ack) | 0
      if (ahead > 0) return
      if (ahead === 0) sample(connection, time - this.#times[cell])
      sender.firstTimed = this.#next[cell]
      sender.timed--
      this.#next[cell] = this.#free
      this.#free = cell
    }
  }

  /** After a retransmission nobody can tell which copy is acknowledged (Karn's algorithm). */
  forget(sender: TcpSender): void {
    if (sender.timed === 0) return
    this.#next[sender.lastTimed] = this.#free
    this.#free = sender.firstTimed
    sender.timed = 0
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

function sample(connection: TcpConnection, elapsed: number): void {
  if (elapsed < 0) return
  const { metrics } = connection
  const count = ++metrics.rtt_samples
  const whole = Math.round(elapsed)
  connection.rttSum += elapsed
  metrics.rtt_avg_us = Math.round(connection.rttSum / count)
  if (metrics.rtt_min_us === undefined || whole < metrics.rtt_min_us) metrics.rtt_min_us = whole
  if (metrics.rtt_max_us === undefined || whole > metrics.rtt_max_us) metrics.rtt_max_us = whole
  if (count > 1) {
    // The smoothed mean difference of RFC 3550, section 6.4.1.
    connection.jitter += (Math.abs(elapsed - connection.lastRtt) - connection.jitter) / 16
    metrics.jitter_us = Math.round(connection.jitter)
  }
  connection.lastRtt = elapsed
}
