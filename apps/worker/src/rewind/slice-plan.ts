/** A contiguous part of the recording: the time of its packets (microseconds) and its size. */
export interface ByteRange {
  readonly first: number
  readonly last: number
  readonly bytes: number
}

/**
 * A time range that is searched at once: calls that begin in `[from, to)`. Reading starts earlier, so that connections are
 * known, and ends later, so that the last calls get their responses.
 */
export interface Slice {
  readonly readFrom: number
  readonly from: number
  readonly to: number
  readonly readTo: number
  /** Approximate number of bytes to read. */
  readonly bytes: number
}

/** The engine waits at most this long for a response (`Limits.patience`). */
const AROUND = 60_000_000

/** Divides a time window into slices of about a given size, from either end. */
export class SlicePlan {
  readonly #ranges: readonly ByteRange[]
  readonly #from: number
  readonly #to: number

  /** The window is `[from, to)`. */
  constructor(ranges: readonly ByteRange[], from: number, to: number) {
    this.#ranges = [...ranges].sort((a, b) => a.first - b.first)
    this.#from = from
    this.#to = to
  }

  /** The slice that ends at `at`; undefined if nothing before it remains. */
  before(at: number, bytes: number): Slice | undefined {
    const older = this.#ranges.filter(({ first, last }) => first < at && last >= this.#from).reverse()
    if (older.length === 0 || at <= this.#from) return undefined
    const edge = rangeReaching(older, bytes)
    return this.#slice(Math.max(this.#from, edge?.first ?? this.#from), at, bytes)
  }

  /** The slice that begins at `at`; undefined if nothing after it remains. */
  after(at: number, bytes: number): Slice | undefined {
    const newer = this.#ranges.filter(({ first, last }) => last >= at && first < this.#to)
    if (newer.length === 0 || at >= this.#to) return undefined
    const edge = rangeReaching(newer, bytes)
    return this.#slice(at, Math.min(this.#to, edge ? edge.last + 1 : this.#to), bytes)
  }

  /** At most `bytes` more are read around the slice, split between before and after. */
  #slice(from: number, to: number, bytes: number): Slice {
    const before = this.#ranges.filter(({ first }) => first < from).reverse()
    const after = this.#ranges.filter(({ last }) => last >= to)
    const readFrom = Math.max(from - AROUND, lastFitting(before, bytes / 2)?.first ?? from)
    const readTo = Math.min(to + AROUND, lastFitting(after, bytes / 2)?.last ?? to)
    const read = this.#ranges.filter(({ first, last }) => last >= readFrom && first <= readTo)
    return {
      readFrom: Math.min(readFrom, from),
      from,
      to,
      readTo: Math.max(readTo, to),
      bytes: read.reduce((sum, range) => sum + range.bytes, 0),
    }
  }
}

/** The range at which the sum reaches `bytes`; undefined if all ranges together are smaller. */
function rangeReaching(ranges: readonly ByteRange[], bytes: number): ByteRange | undefined {
  let sum = 0
  return ranges.find((range) => {
    sum += range.bytes
    return sum >= bytes
  })
}

/** The last range that still fits into `bytes` together with those before it; the first one always fits. */
function lastFitting(ranges: readonly ByteRange[], bytes: number): ByteRange | undefined {
  let sum = 0
  let last: ByteRange | undefined
  for (const range of ranges) {
    sum += range.bytes
    if (last && sum > bytes) break
    last = range
  }
  return last
}
