import { type OpenPartIndex, readPartIndex, type SegmentIndex, type WindowPart } from '@tapdeck/recording'
import type { Held } from './rewind-message.ts'
import type { Stretch } from './slice-plan.ts'

/** The segments that one answer is made of, with what their indexes tell. Times are microseconds. */
export class HeldParts {
  readonly oldest: number | null
  readonly parts: readonly WindowPart[]
  readonly #indexes = new Map<WindowPart, SegmentIndex | undefined>()
  readonly #open: OpenPartIndex | undefined
  readonly #before: number

  /** Without `open`, the segment that is being written has no index. */
  constructor({ parts, oldest }: Held, open?: OpenPartIndex) {
    this.parts = parts
    this.oldest = oldest
    this.#open = open
    this.#before = open?.readBytes ?? 0
  }

  /** Bytes that had to be read to know where to read. */
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

  /** Where packets of the wanted can be. A segment without an index must be read as a whole. */
  stretches(anyOf: readonly (readonly number[])[]): Stretch[] {
    return this.parts.flatMap((part): Stretch[] => {
      const regions = this.indexOf(part)?.select({ from: part.start, to: part.end, anyOf })
      if (regions === undefined) return [{ first: part.start, last: part.end, bytes: part.bytes }]
      return regions.map(({ first, last, at, end, packets }) =>
        packets > 0
          ? { first, last, bytes: end - at }
          : { first: part.start, last: part.start, bytes: end - at },
      )
    })
  }

  /** All that was recorded in a time. */
  bytes(from: number, to: number): number {
    let sum = 0
    for (const part of this.within(from, to)) {
      const regions = this.indexOf(part)?.regions.filter(({ first, last }) => last >= from && first <= to)
      sum += regions?.reduce((bytes, { at, end }) => bytes + end - at, 0) ?? part.bytes
    }
    return sum
  }
}
