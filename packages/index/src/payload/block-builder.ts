import { ByteWriter } from '@tapdeck/dissect'

/** A block is full once it has this many bytes; the last item may go beyond it. */
const FULL = 256 * 1024
/** Room for that last item. A longer one makes the buffer grow, for that block. */
const ROOM = FULL + 64 * 1024
const MAX_ITEMS = 4096

/** The block that is being filled. It is used again and again: fresh memory costs more than what is put into it. */
export class BlockBuilder {
  number = 0
  #bytes = new ByteWriter(ROOM)
  readonly #ends = new Uint32Array(MAX_ITEMS)
  #items = 0

  get items(): number {
    return this.#items
  }

  get full(): boolean {
    return this.#items === MAX_ITEMS || this.#used() >= FULL
  }

  /** Begins another block. What `finish` gave before is overwritten. */
  begin(number: number): void {
    this.number = number
    this.#items = 0
    if (this.#bytes.capacity > ROOM) this.#bytes = new ByteWriter(ROOM)
  }

  /** Where the bytes of the next item go. One that was begun and not ended is forgotten. */
  item(): ByteWriter {
    this.#bytes.cut(this.#used())
    return this.#bytes
  }

  /** The item is complete; its slot. */
  endItem(): number {
    this.#ends[this.#items] = this.#bytes.length
    return this.#items++
  }

  /** The raw block: a view, until the next `begin`. */
  finish(): Uint8Array {
    const bytes = this.item()
    for (let i = 0; i < this.#items; i++) bytes.uint32(this.#ends[i])
    return bytes.written()
  }

  #used(): number {
    return this.#items === 0 ? 0 : this.#ends[this.#items - 1]
  }
}
