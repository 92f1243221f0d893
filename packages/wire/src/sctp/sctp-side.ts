/** A chunk this far behind the highest number counts as repeated. */
const WINDOW = 256

/** A piece of a message: `first` and `last` are the bits of its chunk. */
export interface MessagePart {
  readonly first: boolean
  readonly last: boolean
  readonly bytes: Uint8Array
  readonly length: number
}

/** One direction of an association: which transmission sequence numbers came, and parts of messages. */
export class SctpSide {
  /** Parts of messages that are not whole, by transmission sequence number; what they cost in memory. */
  readonly parts = new Map<number, MessagePart>()
  cost = 0
  #known = false
  #highest = 0
  readonly #seen = new Int32Array(WINDOW / 32)

  /** Records a transmission sequence number; `false` if it came before. */
  isNew(tsn: number): boolean {
    const ahead = (tsn - this.#highest) | 0
    if (!this.#known || ahead >= WINDOW) this.#seen.fill(0)
    else if (ahead <= -WINDOW) return false
    else for (let step = 1; step <= ahead; step++) this.#mark((this.#highest + step) | 0, false)
    if (!this.#known || ahead > 0) this.#highest = tsn
    this.#known = true
    const bit = tsn & (WINDOW - 1)
    if ((this.#seen[bit >> 5] >>> (bit & 31)) & 1) return false
    this.#mark(tsn, true)
    return true
  }

  #mark(tsn: number, came: boolean): void {
    const bit = tsn & (WINDOW - 1)
    if (came) this.#seen[bit >> 5] |= 1 << (bit & 31)
    else this.#seen[bit >> 5] &= ~(1 << (bit & 31))
  }

  /** The numbers of the first and the last part of the whole message around `tsn`, or undefined while one is missing. */
  whole(tsn: number): readonly [number, number] | undefined {
    let first = tsn
    while (!this.parts.get(first)?.first) {
      first = (first - 1) | 0
      if (!this.parts.has(first)) return undefined
    }
    let last = tsn
    while (!this.parts.get(last)?.last) {
      last = (last + 1) | 0
      if (!this.parts.has(last)) return undefined
    }
    return [first, last]
  }
}
