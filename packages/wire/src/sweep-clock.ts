/** Packet time between two looks at what has grown old, in microseconds. */
const SWEEP_US = 1e6

/**
 * Says when it is time to look for what has grown old. Only the times of the packets count, all of them in their order,
 * so that all threads that share a capture look at the same moments.
 */
export class SweepClock {
  #next = 0

  /** Packets before this, and not much before, call for no look. */
  get next(): number {
    return this.#next
  }

  /** Whether the packet of this time calls for a look. A clock that jumped back does so, too. */
  due(time: number): boolean {
    if (time < this.#next && time >= this.#next - 2 * SWEEP_US) return false
    this.#next = time + SWEEP_US
    return true
  }

  /** A look was taken for another reason. */
  taken(now: number): void {
    this.#next = now + SWEEP_US
  }
}
