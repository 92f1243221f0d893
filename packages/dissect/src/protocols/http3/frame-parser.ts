import type { Allowance } from '../../memory/budget.ts'

/** RFC 9114 §7.2. */
export const FRAME = { data: 0x00, headers: 0x01, settings: 0x04, pushPromise: 0x05, goAway: 0x07 } as const

/** Type and length are two numbers of at most eight bytes each. */
const MAX_HEAD = 16
/** A field section or settings, beyond which it is skipped. */
const MAX_BLOCK = 64 * 1024

/** Takes the frames of a stream. */
export interface FrameHandler {
  /** Bytes of a DATA frame. */
  data(bytes: Uint8Array, start: number, end: number): void
  /** Any other frame that is wanted. Undefined bytes: it was too large. Returns false if the stream must wait. */
  block(type: number, bytes: Uint8Array | undefined, size: number): boolean
}

/** Splits a stream into frames: RFC 9114 §7.1. They may be cut anywhere. */
export class FrameParser {
  readonly #budget: Allowance
  readonly #head = new Uint8Array(MAX_HEAD)
  #headLength = 0
  #type = -1
  #size = 0
  #left = 0
  #block: Uint8Array | undefined
  #isWanted = false

  constructor(budget: Allowance) {
    this.#budget = budget
  }

  /** Reads `bytes[start, end)`. Returns where it stopped, which is before `end` if the handler must wait. */
  read(bytes: Uint8Array, start: number, end: number, handler: FrameHandler): number {
    let at = start
    while (at < end || (this.#type >= 0 && this.#left === 0)) {
      if (this.#type < 0) {
        at = this.#readHead(bytes, at, end)
        continue
      }
      const take = Math.min(this.#left, end - at)
      if (this.#type === FRAME.data && take > 0) handler.data(bytes, at, at + take)
      else this.#block?.set(bytes.subarray(at, at + take), this.#size - this.#left)
      at += take
      this.#left -= take
      if (this.#left === 0 && !this.#end(handler)) break
    }
    return at
  }

  drop(): void {
    this.#budget.give(this.#block?.length ?? 0)
    this.#block = undefined
  }

  #end(handler: FrameHandler): boolean {
    const [type, block, size] = [this.#type, this.#block, this.#size]
    this.#type = -1
    if (!this.#isWanted) return true
    this.drop()
    return handler.block(type, block, size)
  }

  #readHead(bytes: Uint8Array, start: number, end: number): number {
    let at = start
    while (at < end && this.#headLength < MAX_HEAD) {
      this.#head[this.#headLength++] = bytes[at++]
      const typeEnd = varintLength(this.#head[0])
      if (this.#headLength <= typeEnd) continue
      if (this.#headLength < typeEnd + varintLength(this.#head[typeEnd])) continue
      this.#begin(varint(this.#head, 0), varint(this.#head, typeEnd))
      break
    }
    return at
  }

  #begin(type: number, size: number): void {
    this.#headLength = 0
    this.#type = type
    this.#size = size
    this.#left = size
    this.#isWanted = type === FRAME.headers || type === FRAME.settings || type === FRAME.pushPromise
    const isKept = this.#isWanted && size <= MAX_BLOCK && this.#budget.take(size)
    this.#block = isKept ? new Uint8Array(size) : undefined
  }
}

/** RFC 9000 §16: the two highest bits. */
export function varintLength(first: number): number {
  return 1 << (first >> 6)
}

export function varint(bytes: Uint8Array, at: number): number {
  const length = varintLength(bytes[at])
  let value = bytes[at] & 0x3f
  for (let i = 1; i < length; i++) value = value * 256 + bytes[at + i]
  return value
}
