/** Numbers from 0 up to 1. */
export type Random = () => number

/** Mulberry32: the same seed gives the same numbers. */
export function seededRandom(seed: number): Random {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
  }
}

export function pick<T>(random: Random, items: readonly T[]): T {
  return items[Math.floor(random() * items.length)]
}

/** The item, or undefined a third of the time. */
export function maybe<T>(random: Random, items: readonly T[]): T | undefined {
  return random() < 0.33 ? undefined : pick(random, items)
}
