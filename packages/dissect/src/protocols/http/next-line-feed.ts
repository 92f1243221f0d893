const LF = 0x0a
const FOUR_LF = 0x0a0a0a0a
/** Below this, looking at four bytes at once does not pay. */
const SHORT = 16

/**
 * The bytes that were looked at last, and their memory as words: heads come out of the same chunk again and again. They
 * are known by the view, for asking one for its buffer costs more than a line.
 */
let known: Uint8Array = new Uint8Array(0)
let words: Int32Array = new Int32Array(0)
let byteOffset = 0

/** Where the next LF stands in `bytes[start, end)`; `end` where there is none. Most of the bytes of a head go by here. */
export function nextLineFeed(bytes: Uint8Array, start: number, end: number): number {
  let at = start
  if (end - start >= SHORT) {
    if (bytes !== known) {
      const { buffer } = bytes
      known = bytes
      byteOffset = bytes.byteOffset
      words = new Int32Array(buffer, 0, buffer.byteLength >> 2)
    }
    const offset = byteOffset
    while (((offset + at) & 3) !== 0) {
      if (bytes[at] === LF) return at
      at++
    }
    const view = words
    const last = (offset + end) >> 2
    let word = (offset + at) >> 2
    for (; word < last; word++) {
      // A byte that is zero after this was LF: the borrow of the subtraction shows in its highest bit.
      const x = view[word] ^ FOUR_LF
      if (((x - 0x01010101) & ~x & 0x80808080) !== 0) break
    }
    at = (word << 2) - offset
  }
  while (at < end && bytes[at] !== LF) at++
  return at
}
