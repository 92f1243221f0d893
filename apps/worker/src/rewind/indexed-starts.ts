import type { Call } from '@tapdeck/dissect'
import type { CallIndex, CallStart } from '@tapdeck/index'

const MAX_CALLS = 1_000_000
/** Time span of one query to the index, in microseconds. */
const SLICE = 5_000_000

/** The calls that the index already has in a time range, known by start time and peers. They must not be appended again. */
export class IndexedStarts {
  /** Calls that began before are not known here. Microseconds. */
  readonly since: number
  readonly #counts: Map<number, number>

  private constructor(since: number, counts: Map<number, number>) {
    this.since = since
    this.#counts = counts
  }

  /** Loads the calls of `[from, to)`; if there are too many, only the newest part of the range. */
  static async load(index: CallIndex, from: number, to: number, max = MAX_CALLS): Promise<IndexedStarts> {
    const counts = new Map<number, number>()
    let since = to
    while (since > from) {
      const next = Math.max(from, since - SLICE)
      const starts = await index.starts(next, since)
      if (counts.size + starts.length > max) break
      for (const start of starts) {
        const key = keyOf(start)
        counts.set(key, (counts.get(key) ?? 0) + 1)
      }
      since = next
    }
    return new IndexedStarts(since, counts)
  }

  /** Whether the index has the call. Each entry matches once: several calls may begin with one packet. */
  take({ start, flow, side }: Call): boolean {
    const src = flow.ends[side]
    const dst = flow.ends[side === 0 ? 1 : 0]
    const key = keyOf({ time: start, src, dst })
    const count = this.#counts.get(key) ?? 0
    if (count > 0) this.#counts.set(key, count - 1)
    return count > 0
  }
}

/** A hash of 53 bits: with a million calls, the probability of a collision is 1 in 10,000. */
function keyOf({ time, src, dst }: CallStart): number {
  const text = `${time} ${src.ip} ${src.port} ${dst.ip} ${dst.port}`
  let a = 0xdeadbeef
  let b = 0x41c6ce57
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    a = Math.imul(a ^ code, 2_654_435_761)
    b = Math.imul(b ^ code, 1_597_334_677)
  }
  a = Math.imul(a ^ (a >>> 16), 2_246_822_507) ^ Math.imul(b ^ (b >>> 13), 3_266_489_909)
  b = Math.imul(b ^ (b >>> 16), 2_246_822_507) ^ Math.imul(a ^ (a >>> 13), 3_266_489_909)
  return 4_294_967_296 * (2_097_151 & b) + (a >>> 0)
}
