const LF = 0x0a
const FOUR_LF = 0x0a0a0a0a
/** Below this, looking at four bytes at once does not pay. */
const SHORT = 16

/** The memory that was looked at last, as words: heads come out of the same buffer again and again. */
let memory: ArrayBufferLike = new ArrayBuffer(0)
let words: Int32Array = new Int32Array(memory)

/** Where the next LF stands in `bytes[start, end)`; `end` where there is none. Most of the bytes of a head go by here. */
export function nextLineFeed(bytes: Uint8Array, start: number, end: number): number {
  let at = start
  if (end - start >= SHORT) {
    const { buffer, byteOffset } = bytes
    if (buffer !== memory) {
      memory = buffer
      words = new Int32Array(buffer, 0, buffer.byteLength >> 2)
    }
    while (((byteOffset + at) & 3) !== 0) {
      if (bytes[at] === LF) return at
      at++
    }
    const view = words
    const last = (byteOffset + end) >> 2
    let word = (byteOffset + at) >> 2
    for (; word < last; word++) {
      // A byte that is zero after this was LF: the borrow of the subtraction shows in its highest bit.
      const x = view[word] ^ FOUR_LF
      if (((x - 0x01010101) & ~x & 0x80808080) !== 0) break
    }
    at = (word << 2) - byteOffset
  }
  while (at < end && bytes[at] !== LF) at++
  return at
}
