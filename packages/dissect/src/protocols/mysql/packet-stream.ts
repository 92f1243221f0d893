import type { Connection, Frame } from '../../contract/dissector.ts'
import { HEADER, int24 } from './bytes.ts'

const EMPTY = new Uint8Array(0)

/** Puts together packets out of what compressed ones unfold to, for they do not end together. */
export class PacketStream {
  readonly #connection: Connection
  #held = EMPTY
  #length = 0
  /** Bytes of the packet that went by without being kept. */
  #skipped = 0
  #time = 0

  constructor(connection: Connection) {
    this.#connection = connection
  }

  clear(): void {
    this.#connection.budget.give(this.#held.length)
    this.#held = EMPTY
    this.#length = 0
    this.#skipped = 0
  }

  push(bytes: Uint8Array, time: number, endTime: number, each: (frame: Frame) => void): void {
    let at = 0
    if (this.#held.length + this.#skipped > 0) at = this.#complete(bytes, endTime, each)
    while (at < bytes.length) {
      const left = bytes.length - at
      const length = left < HEADER ? 0 : HEADER + int24(bytes, at)
      if (length === 0 || length > left) {
        this.#length = length
        this.#time = time
        this.#hold(bytes, at, bytes.length)
        return
      }
      each({ bytes, start: at, end: at + length, length, unsent: 0, time, endTime })
      at += length
    }
  }

  /** The rest of the packet that has begun; returns where the next begins. */
  #complete(bytes: Uint8Array, endTime: number, each: (frame: Frame) => void): number {
    if (this.#length === 0) {
      const needed = Math.min(HEADER - this.#held.length, bytes.length)
      this.#hold(bytes, 0, needed)
      if (this.#held.length < HEADER) {
        if (this.#skipped > 0) this.clear()
        return bytes.length
      }
      this.#length = HEADER + int24(this.#held, 0)
      return this.#finish(bytes, needed, endTime, each)
    }
    return this.#finish(bytes, 0, endTime, each)
  }

  #finish(bytes: Uint8Array, from: number, endTime: number, each: (frame: Frame) => void): number {
    const missing = this.#length - this.#held.length - this.#skipped
    const take = Math.min(missing, bytes.length - from)
    this.#hold(bytes, from, from + take)
    if (take < missing) return bytes.length
    const held = this.#held
    const frame: Frame = {
      bytes: held,
      start: 0,
      end: held.length,
      length: this.#length,
      unsent: 0,
      time: this.#time,
      endTime,
    }
    this.clear()
    each(frame)
    return from + take
  }

  #hold(bytes: Uint8Array, start: number, end: number): void {
    const { limits, budget } = this.#connection
    const room = this.#skipped > 0 ? 0 : Math.max(0, limits.frame - this.#held.length)
    const take = Math.min(end - start, room)
    if (take > 0 && budget.take(take)) {
      const grown = new Uint8Array(this.#held.length + take)
      grown.set(this.#held)
      grown.set(bytes.subarray(start, start + take), this.#held.length)
      this.#held = grown
      this.#skipped += end - start - take
    } else this.#skipped += end - start
  }
}
