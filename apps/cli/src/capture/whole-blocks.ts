const HEAD = 12
/** Nothing that a hub sends is longer. */
const MAX_BLOCK = 64 * 1024 * 1024
const ENHANCED_PACKET = 6

/** Cuts a pcapng stream of little endian blocks at the ends of blocks, so that what is written of it is always whole. */
export class WholeBlocks {
  packets = 0
  readonly #most: number
  #carry = Buffer.alloc(0)

  /** Nothing is passed on after `most` packets. */
  constructor(most = Number.POSITIVE_INFINITY) {
    this.#most = most
  }

  get isFull(): boolean {
    return this.packets >= this.#most
  }

  /** The whole blocks so far that were not returned yet. Throws where the bytes are no pcapng. */
  push(bytes: Uint8Array): Buffer {
    const data =
      this.#carry.length === 0 ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length) : this.#join(bytes)
    let at = 0
    while (data.length - at >= HEAD && !this.isFull) {
      const length = data.readUInt32LE(at + 4)
      if (length < HEAD || length > MAX_BLOCK || (length & 3) !== 0) throw new Error('the hub sent no pcapng')
      if (length > data.length - at) break
      if (data.readUInt32LE(at) === ENHANCED_PACKET) this.packets++
      at += length
    }
    this.#carry = this.isFull ? Buffer.alloc(0) : Buffer.from(data.subarray(at))
    return data.subarray(0, at)
  }

  #join(bytes: Uint8Array): Buffer {
    return Buffer.concat([this.#carry, bytes])
  }
}
