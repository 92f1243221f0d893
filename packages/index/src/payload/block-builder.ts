const CAPACITY = 256 * 1024
const MOST_ITEMS = 4096

/** The block that is being filled. It is used again and again: fresh memory costs more than what is put into it. */
export class BlockBuilder {
  number = 0
  #bytes: Uint8Array
  #used = 0
  readonly #ends = new Uint32Array(MOST_ITEMS)
  #items = 0

  constructor() {
    this.#bytes = new Uint8Array(CAPACITY)
  }

  get items(): number {
    return this.#items
  }

  /** Begins another block. What `finish` gave before is overwritten. */
  begin(number: number): void {
    this.number = number
    this.#used = 0
    this.#items = 0
    if (this.#bytes.length > CAPACITY) this.#bytes = new Uint8Array(CAPACITY)
  }

  /** Whether parts of this length still go in. An empty block takes anything. */
  fits(length: number): boolean {
    return (
      this.#items === 0 ||
      (this.#items < MOST_ITEMS && this.#used + length <= CAPACITY - (this.#items + 1) * 4)
    )
  }

  /** Adds one item made of two parts; returns its slot. */
  add(first: Uint8Array, firstLength: number, second: Uint8Array): number {
    const length = firstLength + second.length
    if (this.#used + length > this.#bytes.length) this.#grow(length)
    for (let i = 0; i < firstLength; i++) this.#bytes[this.#used + i] = first[i]
    this.#bytes.set(second, this.#used + firstLength)
    this.#used += length
    this.#ends[this.#items] = this.#used
    return this.#items++
  }

  /** The raw block: a view, until the next `begin`. */
  finish(): Uint8Array {
    const tail = this.#items * 4
    if (this.#used + tail > this.#bytes.length) this.#grow(tail)
    const view = new DataView(this.#bytes.buffer)
    for (let i = 0; i < this.#items; i++) view.setUint32(this.#used + i * 4, this.#ends[i], true)
    return this.#bytes.subarray(0, this.#used + tail)
  }

  #grow(length: number): void {
    const bytes = new Uint8Array(this.#used + length)
    bytes.set(this.#bytes.subarray(0, this.#used))
    this.#bytes = bytes
  }
}
