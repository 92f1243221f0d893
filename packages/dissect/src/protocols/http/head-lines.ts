const LF = 0x0a
const CR = 0x0d
/** LF + 1 in each byte: what is below borrows in a subtraction, which shows in the highest bit of its byte. */
const ABOVE_LF = 0x0b0b0b0b
const HIGHEST = 0x80808080 | 0

/**
 * The bytes that were looked at last, and their memory as words: heads come out of the same chunk again and again. They
 * are known by the view, for asking one for its buffer costs more than a line.
 */
let known: Uint8Array = new Uint8Array(0)
let words: Int32Array = new Int32Array(0)
let byteOffset = 0

/** The lines of a head that may say how its message goes on: of fields that begin with C, T or U. */
export class HeadLines {
  /** Where they begin, from the start of the head. */
  readonly starts: number[] = []
  count = 0

  /**
   * Length of the head at `start`, in which no line ends before `from`; minus as many bytes as need not be looked at
   * again where its end is not there. The empty line at its end is LF LF or LF CR LF: RFC 9112 §2.2 lets a bare LF end
   * a line. Most of the bytes of a head go by here only, four at a time.
   */
  scan(bytes: Uint8Array, start: number, end: number, from: number): number {
    this.count = 0
    if (bytes !== known) {
      const { buffer } = bytes
      known = bytes
      byteOffset = bytes.byteOffset
      words = new Int32Array(buffer, 0, buffer.byteLength >> 2)
    }
    const view = words
    const offset = byteOffset
    const whole = (offset + end) >> 2
    let word = (offset + from) >> 2
    // The first word may begin before that.
    let mask = HIGHEST & (-1 << (((offset + from) & 3) << 3))
    while (word < whole) {
      const four = view[word++]
      let low = (four - ABOVE_LF) & ~four & mask
      mask = HIGHEST
      if (low === 0) {
        word = withoutLineEnd(view, word, whole)
        continue
      }
      const base = ((word - 1) << 2) - offset
      do {
        const at = base + 3 - (Math.clz32(low & (~low + 1)) >> 3)
        low &= low - 1
        if (bytes[at] !== LF) continue
        const length = this.#lineEnd(bytes, start, end, at)
        if (length !== 0) return length
      } while (low !== 0)
    }
    for (let at = Math.max(from, (whole << 2) - offset); at < end; at++) {
      if (bytes[at] !== LF) continue
      const length = this.#lineEnd(bytes, start, end, at)
      if (length !== 0) return length
    }
    return start - end
  }

  /** Notes the line after the LF at `at`. Not 0 where that is the end of the head, or of the bytes: then what `scan` says. */
  #lineEnd(bytes: Uint8Array, start: number, end: number, at: number): number {
    if (at + 1 >= end) return start - at
    const next = bytes[at + 1]
    if (next === LF) return at + 2 - start
    if (next === CR) {
      if (at + 2 >= end) return start - at
      if (bytes[at + 2] === LF) return at + 3 - start
    }
    const initial = next | 0x20
    if (initial === 0x63 || initial === 0x74 || initial === 0x75) this.starts[this.count++] = at + 1 - start
    return 0
  }
}

/** The first of the words from `word` on that may have a line end, or the last: two are looked at together. */
function withoutLineEnd(view: Int32Array, word: number, whole: number): number {
  let at = word
  for (; at + 1 < whole; at += 2) {
    const one = view[at]
    const next = view[at + 1]
    if (((((one - ABOVE_LF) & ~one) | ((next - ABOVE_LF) & ~next)) & HIGHEST) !== 0) break
  }
  return at
}
