/** Where values are on an axis, from 0 to 1, and which of them are labelled. */
export interface Scale {
  readonly ticks: readonly number[]
  at(value: number): number
}

/** From zero to `most`. */
export function linearScale(most: number): Scale {
  return { ticks: [0, 0.25, 0.5, 0.75, 1].map((part) => part * most), at: (value) => value / most }
}

/** Labelled are the values that are `given`, or the `powers` of ten around them. */
export function logScale(values: readonly number[], labelled: 'given' | 'powers'): Scale {
  const powers = (round: (value: number) => number, most: (...values: number[]) => number) =>
    10 ** round(Math.log10(most(...values)))
  const [first, last] =
    labelled === 'given'
      ? [Math.min(...values), Math.max(...values)]
      : [powers(Math.floor, Math.min), powers(Math.ceil, Math.max)]
  const width = Math.log10(last / first) || 1
  const decades = Array.from({ length: Math.round(width) + 1 }, (_, i) => first * 10 ** i)
  return {
    ticks: labelled === 'given' ? [...new Set(values)] : decades,
    at: (value) => Math.log10(value / first) / width,
  }
}
