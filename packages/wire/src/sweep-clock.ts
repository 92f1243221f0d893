/** Packet time between two sweeps, in microseconds. */
export const SWEEP_US = 1e6

/**
 * Says when a sweep for idle flows is due. Only packet times count, in their order, so that all threads that share a
 * capture sweep at the same packets.
 */
export class SweepClock {
  #next = 0

  /** No sweep is due for packets before this time, except long before it. */
  get next(): number {
    return this.#next
  }

  /** Whether a sweep is due at a packet of this time. Also after a clock that jumped back. */
  due(time: number): boolean {
    if (time < this.#next && time >= this.#next - 2 * SWEEP_US) return false
    this.#next = time + SWEEP_US
    return true
  }

  /** A sweep was done for another reason. */
  taken(now: number): void {
    this.#next = now + SWEEP_US
  }
}
