/** A run of whole blocks in a segment, about `REGION_BYTES` long. Times are microseconds since the epoch. */
export interface Region {
  readonly at: number
  readonly end: number
  readonly packets: number
  readonly first: number
  readonly last: number
  /** It holds what packets further on refer to: the section, or an interface. */
  readonly describes: boolean
}

/** Packets with one of the keys in each set, see `PacketKeys`. An empty list selects all packets. */
export interface Wanted {
  /** Microseconds. */
  readonly from: number
  readonly to: number
  readonly anyOf: readonly (readonly number[])[]
}

export const REGION_BYTES = 256 * 1024

/**
 * Where in a segment who can be found. It may name too many regions, never too few. `postings` are the regions of each key,
 * both in ascending order; without postings the parties are not known, and time alone decides.
 */
export class SegmentIndex {
  readonly regions: readonly Region[]
  readonly #keys: Int32Array
  /** Where the regions of each key begin in `#postings`; one more than keys. */
  readonly #starts: Uint32Array
  readonly #postings: Uint16Array
  readonly isCoarse: boolean

  constructor(
    regions: readonly Region[],
    parties?: { readonly keys: Int32Array; readonly starts: Uint32Array; readonly postings: Uint16Array },
  ) {
    this.regions = regions
    this.isCoarse = parties === undefined
    this.#keys = parties?.keys ?? new Int32Array(0)
    this.#starts = parties?.starts ?? new Uint32Array(1)
    this.#postings = parties?.postings ?? new Uint16Array(0)
  }

  get parties() {
    return { keys: this.#keys, starts: this.#starts, postings: this.#postings }
  }

  /** The regions that can hold a wanted packet, in their order, with those that describe what they refer to. */
  select({ from, to, anyOf }: Wanted): Region[] {
    const chosen = this.isCoarse ? [] : anyOf.filter((keys) => keys.length > 0).map((keys) => this.#of(keys))
    const holds = ({ first, last, packets }: Region, number: number) =>
      packets > 0 && last >= from && first <= to && chosen.every((regions) => regions.has(number))
    return this.regions.some(holds)
      ? this.regions.filter((region, number) => region.describes || holds(region, number))
      : []
  }

  #of(keys: readonly number[]): Set<number> {
    const regions = new Set<number>()
    for (const key of keys) {
      const place = this.#find(key)
      if (place < 0) continue
      for (let at = this.#starts[place]!; at < this.#starts[place + 1]!; at++)
        regions.add(this.#postings[at]!)
    }
    return regions
  }

  #find(key: number): number {
    let low = 0
    let high = this.#keys.length - 1
    while (low <= high) {
      const middle = (low + high) >> 1
      const found = this.#keys[middle]!
      if (found === key) return middle
      if (found < key) low = middle + 1
      else high = middle - 1
    }
    return -1
  }
}
