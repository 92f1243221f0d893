import { Malformed } from '@tapdeck/wire'

const LF = 0x0a
const MARK = 40
const MAX_LINE_LENGTH = 64

/**
 * The snapshot that a primary sends a replica before its commands: `$<length>` and as many bytes without a line break
 * after them, or `$EOF:<mark>` and bytes up to that mark. Line feeds before it keep the connection alive.
 */
export class SnapshotTransfer {
  /** Whether what was measured last ends the snapshot. */
  ends = false
  /** Its size so far. */
  size = 0
  #mark: Uint8Array | undefined

  measure(bytes: Uint8Array, start: number, end: number): number {
    if (start === end) return 0
    if (this.#mark !== undefined) return this.#untilMark(bytes, start, end, this.#mark)
    if (bytes[start] === LF) return 1
    let line = start
    while (line < end && bytes[line] !== LF)
      if (++line - start > MAX_LINE_LENGTH) throw new Malformed('no snapshot')
    if (bytes[start] !== 0x24) throw new Malformed('no snapshot')
    if (line === end) return 0
    const length = line + 1 - start
    if (bytes[start + 1] === 0x45) {
      if (length !== 5 + MARK + 2) throw new Malformed('no snapshot mark')
      this.#mark = bytes.slice(start + 5, start + 5 + MARK)
      return length
    }
    let size = 0
    for (let at = start + 1; at < line - 1; at++) {
      const digit = bytes[at] - 0x30
      if (digit < 0 || digit > 9) throw new Malformed('no snapshot size')
      size = size * 10 + digit
    }
    if (size > 2 ** 45) throw new Malformed('snapshot size out of range')
    this.ends = true
    return length + size
  }

  #untilMark(bytes: Uint8Array, start: number, end: number, mark: Uint8Array): number {
    const last = end - MARK
    for (let at = start; at <= last; at++) {
      let i = 0
      while (i < MARK && bytes[at + i] === mark[i]) i++
      if (i < MARK) continue
      this.ends = true
      return at + MARK - start
    }
    return Math.max(0, last - start)
  }
}
