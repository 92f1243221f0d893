/** What is nearly in order is put right by moving little; beyond this many moves an element it is sorted from the start. */
const MOST_MOVES = 32

/** Numbers from 0 up to `count`, so that none comes before one that it `follows`; calls come nearly in their order. */
export function settledOrder(count: number, follows: (one: number, other: number) => number): Uint32Array {
  const order = new Uint32Array(count)
  let moves = count * MOST_MOVES
  for (let i = 0; i < count; i++) {
    let at = i
    for (; at > 0 && moves > 0 && follows(order[at - 1]!, i) > 0; at--, moves--) order[at] = order[at - 1]!
    order[at] = i
  }
  if (moves > 0) return order
  for (let i = 0; i < count; i++) order[i] = i
  return order.sort((a, b) => follows(a, b) || a - b)
}
