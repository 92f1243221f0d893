/** Packets that lie together in the recording: when they were, and how much must be read for them. Microseconds. */
export interface Stretch {
  readonly first: number
  readonly last: number
  readonly bytes: number
}

/**
 * A piece of time to be searched at once: calls that begin in `[from, to)`. Packets are read from before it, so that
 * connections are known when it begins, and from after it, so that its last calls get their responses.
 */
export interface Slice {
  readonly readFrom: number
  readonly from: number
  readonly to: number
  readonly readTo: number
  /** To be read, about. */
  readonly bytes: number
}

/** Nobody waits longer for a response (`Limits.patience` of the engine). */
const AROUND = 60_000_000

/** Divides a window of time into slices of about so many bytes, from either end. */
export class SlicePlan {
  readonly #stretches: readonly Stretch[]
  readonly #from: number
  readonly #to: number

  /** Calls of `[from, to)` are wanted. */
  constructor(stretches: readonly Stretch[], from: number, to: number) {
    this.#stretches = [...stretches].sort((a, b) => a.first - b.first)
    this.#from = from
    this.#to = to
  }

  /** The slice that ends at `at`; undefined where nothing before it is left to be read. */
  before(at: number, bytes: number): Slice | undefined {
    const older = this.#stretches.filter(({ first, last }) => first < at && last >= this.#from).reverse()
    if (older.length === 0 || at <= this.#from) return undefined
    const edge = past(older, bytes)
    return this.#slice(Math.max(this.#from, edge?.first ?? this.#from), at, bytes)
  }

  /** The slice that begins at `at`; undefined where nothing after it is left to be read. */
  after(at: number, bytes: number): Slice | undefined {
    const newer = this.#stretches.filter(({ first, last }) => last >= at && first < this.#to)
    if (newer.length === 0 || at >= this.#to) return undefined
    const edge = past(newer, bytes)
    return this.#slice(at, Math.min(this.#to, edge ? edge.last + 1 : this.#to), bytes)
  }

  /** Around it at most as much again is read, half before and half after. */
  #slice(from: number, to: number, bytes: number): Slice {
    const before = this.#stretches.filter(({ first }) => first < from).reverse()
    const after = this.#stretches.filter(({ last }) => last >= to)
    const readFrom = Math.max(from - AROUND, reach(before, bytes / 2)?.first ?? from)
    const readTo = Math.min(to + AROUND, reach(after, bytes / 2)?.last ?? to)
    const read = this.#stretches.filter(({ first, last }) => last >= readFrom && first <= readTo)
    return {
      readFrom: Math.min(readFrom, from),
      from,
      to,
      readTo: Math.max(readTo, to),
      bytes: read.reduce((sum, stretch) => sum + stretch.bytes, 0),
    }
  }
}

/** The stretch with which so many bytes are reached; undefined where all together are fewer. */
function past(stretches: readonly Stretch[], bytes: number): Stretch | undefined {
  let sum = 0
  return stretches.find((stretch) => {
    sum += stretch.bytes
    return sum >= bytes
  })
}

/** The last of the stretches that fit into so many bytes together; the first one always does. */
function reach(stretches: readonly Stretch[], bytes: number): Stretch | undefined {
  let sum = 0
  let last: Stretch | undefined
  for (const stretch of stretches) {
    sum += stretch.bytes
    if (last && sum > bytes) break
    last = stretch
  }
  return last
}
