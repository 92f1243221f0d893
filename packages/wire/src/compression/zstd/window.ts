import { Malformed } from '../../malformed.ts'
import { MAX_BLOCK } from './limits.ts'

/** Room beyond the window, so that it need not be moved for each block. */
const SLACK = 8 * 1024 * 1024
const EMPTY = new Uint8Array(0)

/** What was unpacked last of a frame, as far back as copies may reach. It grows with what comes, never beyond its size. */
export class Window {
  bytes: Uint8Array = EMPTY
  at = 0
  /** The longest block of the frame. */
  block = 0
  #size = 0

  /** A new frame begins. */
  reset(size: number): void {
    this.#size = size
    this.block = Math.min(size, MAX_BLOCK)
    this.at = 0
  }

  /** Makes sure that a block fits behind what is there. */
  makeRoom(): void {
    const needed = this.at + this.block
    if (needed <= this.bytes.length) return
    const most = this.#size + Math.min(Math.max(this.#size, MAX_BLOCK), SLACK) + this.block
    if (needed <= most) {
      const grown = new Uint8Array(Math.min(most, Math.max(needed, this.bytes.length * 2)))
      grown.set(this.bytes.subarray(0, this.at))
      this.bytes = grown
      return
    }
    this.bytes.copyWithin(0, this.at - this.#size, this.at)
    this.at = this.#size
  }

  append(bytes: Uint8Array, start: number, end: number): void {
    this.bytes.set(start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end), this.at)
    this.at += end - start
  }

  repeat(byte: number, count: number): void {
    this.bytes.fill(byte, this.at, this.at + count)
    this.at += count
  }

  /** Repeats what stands `offset` bytes before, also where that reaches into what it writes. */
  copy(offset: number, count: number): void {
    const { bytes, at } = this
    if (offset > at) throw new Malformed('zstd: a copy from before the beginning')
    if (offset >= count && count > 32) bytes.copyWithin(at, at - offset, at - offset + count)
    else for (let i = at; i < at + count; i++) bytes[i] = bytes[i - offset]
    this.at = at + count
  }
}
