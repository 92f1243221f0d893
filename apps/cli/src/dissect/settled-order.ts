/** What is nearly in order is put right by moving little; beyond this many moves an element it is sorted from the start. */
const MAX_MOVES = 32

/** Above zero where `one` comes after `other`. */
export type Follows = (one: number, other: number) => number

/**
 * Numbers from 0 up to the last of `ends`, so that none comes before one that it `follows`. They come in parts, of which
 * each is nearly in order by itself (what one thread found), and which end at `ends`. Equal ones stay as they were.
 */
export function settledOrder(ends: readonly number[], follows: Follows): Uint32Array {
  let order = new Uint32Array(ends.at(-1) ?? 0)
  let bounds = [0, ...ends]
  for (let part = 1; part < bounds.length; part++) settle(order, bounds[part - 1]!, bounds[part]!, follows)
  if (bounds.length === 2) return order
  let other = new Uint32Array(order.length)
  while (bounds.length > 2) {
    const next = [0]
    for (let part = 0; part + 1 < bounds.length; part += 2) {
      const middle = bounds[part + 1]!
      const end = bounds[part + 2] ?? middle
      merge(order, other, bounds[part]!, middle, end, follows)
      next.push(end)
    }
    bounds = next
    ;[order, other] = [other, order]
  }
  return order
}

/**
 * Goes through what came from one thread, then through what came from the next, and says where each part ends: `take` says how
 * many it has by then.
 */
export function partsByThread<One>(
  all: readonly One[],
  threadOf: (one: One) => unknown,
  take: (one: One, place: number) => number,
): number[] {
  return Array.from(new Set(all.map(threadOf)), (thread) => {
    let end = 0
    for (const [place, one] of all.entries()) if (threadOf(one) === thread) end = take(one, place)
    return end
  })
}

/** Puts the numbers from `from` up to `to` at `order[from, to)`. */
function settle(order: Uint32Array, from: number, to: number, follows: Follows): void {
  let moves = (to - from) * MAX_MOVES
  for (let i = from; i < to; i++) {
    let at = i
    for (; at > from && moves > 0 && follows(order[at - 1]!, i) > 0; at--, moves--) order[at] = order[at - 1]!
    order[at] = i
  }
  if (moves > 0) return
  for (let i = from; i < to; i++) order[i] = i
  order.subarray(from, to).sort((a, b) => follows(a, b) || a - b)
}

/** One of `from[start, middle)` and `from[middle, end)`, at `to[start, end)`. */
function merge(
  from: Uint32Array,
  to: Uint32Array,
  start: number,
  middle: number,
  end: number,
  follows: Follows,
): void {
  let one = start
  let other = middle
  for (let at = start; at < end; at++) {
    const takesOne = other === end || (one < middle && follows(from[one]!, from[other]!) <= 0)
    to[at] = from[takesOne ? one++ : other++]!
  }
}
