/** A message's prefix: a byte of flags and four of length. */
const PREFIX = 5
/** gRPC-Web sends its trailers as a last message with this flag. */
const TRAILERS = 0x80

/** Counts the messages in a body that comes in pieces; none of it is kept. */
export class MessageCounter {
  count = 0
  /** Bytes were missed where a message could have begun: there were at least `count`. */
  lost = false
  /** Bytes of the prefix that are here. */
  #prefix = 0
  #flags = 0
  #length = 0
  /** Bytes of the message still to come. */
  #left = 0

  /** `bytes[start, end)` of a piece that has `length` bytes; the rest of it was not captured. */
  feed(bytes: Uint8Array, start: number, end: number, length: number = end - start): void {
    let at = start
    while (at < end && !this.lost) {
      if (this.#left > 0) {
        const skip = Math.min(this.#left, end - at)
        this.#left -= skip
        at += skip
        continue
      }
      const byte = bytes[at++]
      if (this.#prefix === 0) this.#flags = byte
      else this.#length = this.#length * 256 + byte
      if (++this.#prefix < PREFIX) continue
      if ((this.#flags & TRAILERS) === 0) this.count++
      this.#left = this.#length
      this.#prefix = 0
      this.#length = 0
    }
    if (length > end - start) this.#miss(length - (end - start))
  }

  /** The number of missing bytes is unknown. */
  lose(): void {
    this.lost = true
  }

  #miss(bytes: number): void {
    if (this.#left >= bytes) this.#left -= bytes
    else this.lost = true
  }
}
