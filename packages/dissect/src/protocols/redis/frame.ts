import { Malformed } from '@tapdeck/wire'

const CR = 0x0d
const LF = 0x0a
/** Redis takes no longer inline command, and sends no longer line. */
const MAX_LINE_LENGTH = 64 * 1024
/** The default of `proto-max-bulk-len` is 512 MB; it can be raised. */
const MAX_BULK_LENGTH = 2 ** 36
const MAX_ELEMENTS = 2 ** 32
/** A value that is not all there is cut into pieces of about this size, at the end of an element. */
const PIECE = 16 * 1024

/**
 * Finds where values end without building them: all that has to be known of nested aggregates is how many elements
 * are still to come. A value whose length is known only at its end is measured piece by piece.
 */
export class ValueCutter {
  /** Whether what was measured last ends its value. */
  ends = true
  /** Bytes of the current piece that were walked, and elements of the current value still to come. */
  #walked = 0
  #left = 1
  /** Bytes of an unfinished line that hold no end. */
  #scanned = 0
  #number = 0

  /** Length of the value, or of a piece of it; 0: more bytes are needed. */
  measure(bytes: Uint8Array, start: number, end: number): number {
    let at = start + this.#walked
    let left = this.#left
    while (left > 0) {
      if (at >= end) return this.#pause(at - start, left)
      const type = bytes[at]
      // Most are lists and strings with a count of three digits at most, all there: they are read at a glance.
      if ((type === 0x24 || type === 0x2a) && at + 6 <= end) {
        let count = bytes[at + 1] - 0x30
        let digit = bytes[at + 2] - 0x30
        let behind = at + 2
        if (count >= 0 && count <= 9) {
          if (digit >= 0 && digit <= 9) {
            count = count * 10 + digit
            behind = at + 3
            digit = bytes[behind] - 0x30
            if (digit >= 0 && digit <= 9) {
              count = count * 10 + digit
              behind = at + 4
            }
          }
          if (bytes[behind] === CR && bytes[behind + 1] === LF) {
            if (type === 0x2a) {
              left += count - 1
              at = behind + 2
              continue
            }
            const stop = behind + 2 + count
            if (stop + 2 <= end && bytes[stop] === CR && bytes[stop + 1] === LF) {
              left--
              at = stop + 2
              continue
            }
          }
        }
      }
      let next: number
      switch (type) {
        case 0x24: // $ bulk string
        case 0x21: // ! bulk error
        case 0x3d: // = verbatim string
          next = this.#integer(bytes, at, end, MAX_BULK_LENGTH)
          if (next === 0) return this.#pause(at - start, left)
          if (this.#number >= 0) next += this.#number + 2
          left--
          if (next > end) {
            if (left === 0) break
            if (next - start < PIECE) return this.#pause(at - start, left + 1)
            return this.#cut(next - start, left)
          }
          if (this.#number >= 0 && (bytes[next - 1] !== LF || bytes[next - 2] !== CR))
            throw this.#malformed('bulk string without its end')
          break
        case 0x2a: // * array
        case 0x7e: // ~ set
        case 0x3e: // > push
        case 0x25: // % map
        case 0x7c: // | attributes, which come before a value and are none
          next = this.#integer(bytes, at, end, MAX_ELEMENTS)
          if (next === 0) return this.#pause(at - start, left)
          if (type !== 0x7c) left--
          if (this.#number > 0) left += type === 0x25 || type === 0x7c ? 2 * this.#number : this.#number
          break
        case 0x3a: // : integer
          next = this.#integer(bytes, at, end, Number.POSITIVE_INFINITY)
          if (next === 0) return this.#pause(at - start, left)
          left--
          break
        case 0x2b: // + simple string
        case 0x2d: // - error
        case 0x5f: // _ null
        case 0x23: // # boolean
        case 0x2c: // , double
        case 0x28: // ( big number
          next = this.#line(bytes, at, end)
          if (next === 0) return this.#pause(at - start, left)
          left--
          break
        default:
          throw this.#malformed('no RESP type')
      }
      at = next
    }
    const length = at - start
    this.reset()
    return length
  }

  reset(): void {
    this.ends = true
    this.#walked = 0
    this.#left = 1
    this.#scanned = 0
  }

  #pause(walked: number, left: number): number {
    if (walked >= PIECE) return this.#cut(walked, left)
    this.#walked = walked
    this.#left = left
    return 0
  }

  #cut(length: number, left: number): number {
    this.ends = false
    this.#walked = 0
    this.#left = left
    return length
  }

  /** Reads `<type><integer>CR LF` at `at`; returns where it ends, 0 where it is not all there. */
  #integer(bytes: Uint8Array, at: number, end: number, most: number): number {
    let i = at + 1
    if (i >= end) return 0
    const sign = bytes[i]
    const negative = sign === 0x2d
    if (negative || sign === 0x2b) i++
    const first = i
    let number = 0
    while (i < end) {
      const digit = bytes[i] - 0x30
      if (digit < 0 || digit > 9) break
      number = number * 10 + digit
      i++
    }
    if (i - first > 20) throw this.#malformed('number too long')
    if (i + 1 >= end) {
      if (i < end && bytes[i] !== CR) throw this.#malformed('no number')
      return 0
    }
    if (i === first || bytes[i] !== CR || bytes[i + 1] !== LF) throw this.#malformed('no number')
    if (number > most || (negative && number !== 1 && most !== Number.POSITIVE_INFINITY))
      throw this.#malformed('length out of range')
    this.#number = negative ? -number : number
    return i + 2
  }

  #line(bytes: Uint8Array, at: number, end: number): number {
    const stop = Math.min(end, at + MAX_LINE_LENGTH)
    for (let i = at + 1 + this.#scanned; i < stop; i++) {
      if (bytes[i] !== LF) continue
      if (bytes[i - 1] !== CR) throw this.#malformed('line without its end')
      this.#scanned = 0
      return i + 1
    }
    if (stop < end) throw this.#malformed('line too long')
    this.#scanned = stop - at - 1
    return 0
  }

  #malformed(message: string): Malformed {
    this.reset()
    return new Malformed(message)
  }
}

/** Length of an inline command, or of an empty line; 0: its end is not there yet, nor in the first `scanned` bytes. */
export function inlineLength(bytes: Uint8Array, start: number, end: number, scanned: number): number {
  const stop = Math.min(end, start + MAX_LINE_LENGTH)
  for (let at = start + scanned; at < stop; at++) {
    const byte = bytes[at]
    if (byte === LF) return at + 1 - start
    if (byte < 0x20 && byte !== CR && byte !== 0x09) throw new Malformed('no command')
  }
  if (end - start >= MAX_LINE_LENGTH) throw new Malformed('inline command too long')
  return 0
}
