const FIRST = 1024

/** Where the ending of each slot is: in which block, and from where to where. */
export class EndingPlaces {
  #numbers = new Uint32Array(FIRST * 3)

  set(slot: number, block: number, start: number, end: number): void {
    if (slot * 3 >= this.#numbers.length) {
      const grown = new Uint32Array(Math.max(this.#numbers.length * 2, (slot + 1) * 3))
      grown.set(this.#numbers)
      this.#numbers = grown
    }
    this.#numbers[slot * 3] = block + 1
    this.#numbers[slot * 3 + 1] = start
    this.#numbers[slot * 3 + 2] = end
  }

  /** Undefined while the slot has none. */
  block(slot: number): number | undefined {
    const block = this.#numbers[slot * 3] ?? 0
    return block === 0 ? undefined : block - 1
  }

  start(slot: number): number {
    return this.#numbers[slot * 3 + 1]!
  }

  end(slot: number): number {
    return this.#numbers[slot * 3 + 2]!
  }
}
