import { type OpenPartIndex, readPartIndex, type SegmentIndex, type WindowPart } from '@tapdeck/recording'
import type { HeldWindow } from './rewind-message.ts'
import type { ByteRange } from './slice-plan.ts'

/** The segments that one answer reads, with their indexes. Times are microseconds. */
export class HeldSegments {
  readonly oldest: number | null
  readonly parts: readonly WindowPart[]
  readonly #indexes = new Map<WindowPart, SegmentIndex | undefined>()
  readonly #open: OpenPartIndex | undefined
  readonly #before: number

  /** Without `open`, the segment that is being written is read without an index. */
  constructor({ parts, oldest }: HeldWindow, open?: OpenPartIndex) {
    this.parts = parts
    this.oldest = oldest
    this.#open = open
    this.#before = open?.readBytes ?? 0
  }

  /** Bytes that were read to build the index of the open segment. */
  get indexedBytes(): number {
    return (this.#open?.readBytes ?? 0) - this.#before
  }

  indexOf = (part: WindowPart): SegmentIndex | undefined => {
    if (!this.#indexes.has(part))
      this.#indexes.set(part, part.open ? this.#open?.indexOf(part) : readPartIndex(part))
    return this.#indexes.get(part)
  }

  within(from: number, to: number): WindowPart[] {
    return this.parts.filter(({ start, end }) => end >= from && start <= to)
  }

  /** The byte ranges that can hold packets of the parties. A segment without an index is one range. */
  ranges(anyOf: readonly (readonly number[])[]): ByteRange[] {
    return this.parts.flatMap((part): ByteRange[] => {
      const regions = this.indexOf(part)?.select({ from: part.start, to: part.end, anyOf })
      if (regions === undefined) return [{ first: part.start, last: part.end, bytes: part.bytes }]
      return regions.map(({ first, last, at, end, packets }) =>
        packets > 0
          ? { first, last, bytes: end - at }
          : { first: part.start, last: part.start, bytes: end - at },
      )
    })
  }

  /** All recorded bytes of a time window. */
  bytes(from: number, to: number): number {
    let sum = 0
    for (const part of this.within(from, to)) {
      const regions = this.indexOf(part)?.regions.filter(({ first, last }) => last >= from && first <= to)
      sum += regions?.reduce((bytes, { at, end }) => bytes + end - at, 0) ?? part.bytes
    }
    return sum
  }
}
