import { expect, it } from 'vitest'
import { changePoint, type Slice } from './change-point.ts'

const slices = Array.from({ length: 20 }, (_, at) => at * 1000)
const series = (make: (at: number) => Partial<Slice>): Slice[] =>
  slices.map((at, i) => ({ at, calls: 50, failures: 0, p50: 10 + (i % 3), ...make(i) }))

it('finds the slice in which calls began to fail, or to be slow, and the earliest of several', () => {
  const failing = series((at) => ({ failures: at >= 12 ? 20 : 0 }))
  const slow = series((at) => ({ p50: at >= 8 ? 60 + (at % 3) : 10 + (at % 3) }))
  expect(changePoint([failing], slices)).toBe(12_000)
  expect(changePoint([slow], slices)).toBe(8000)
  expect(changePoint([failing, series(() => ({})), slow], slices)).toBe(8000)
})

it('finds none in steady traffic: not in chance, in errors that are always there, or in one slow slice', () => {
  expect(changePoint([series(() => ({}))], slices)).toBeUndefined()
  expect(changePoint([series((at) => ({ failures: 2 + (at % 4) }))], slices)).toBeUndefined()
  expect(changePoint([series((at) => ({ p50: at === 10 ? 300 : 10 + (at % 3) }))], slices)).toBeUndefined()
  expect(changePoint([series((at) => ({ p50: 5 + ((at * 7) % 11) }))], slices)).toBeUndefined()
})

it('finds the slice in which a pair began to make more calls than the load explains, and not a load that grows', () => {
  const steady = series(() => ({ calls: 50 }))
  const more = series((at) => ({ calls: at >= 11 ? 190 + (at % 7) : 15 + (at % 4) }))
  expect(changePoint([steady, more], slices)).toBe(11_000)
  const growing = (size: number) => series((at) => ({ calls: size * (at >= 11 ? 3 : 1) + (at % 4) }))
  expect(changePoint([growing(20), growing(50), growing(15)], slices)).toBeUndefined()
})

it('takes twice as many calls for no change where both levels vary as much as the difference', () => {
  const steady = series(() => ({ calls: 100 }))
  // Twice the share of the load, at 3 times the standard error of the difference.
  const uneven = series((at) => ({ calls: (at % 2 === 0 ? 10 : 40) * (at >= 10 ? 3 : 1) }))
  expect(changePoint([steady, uneven], slices)).toBeUndefined()
  const even = series((at) => ({ calls: (at % 2 === 0 ? 20 : 28) * (at >= 10 ? 3 : 1) }))
  expect(changePoint([steady, even], slices)).toBe(10_000)
})

it('takes bursts of healthy traffic for no change, where the first slices happen to be quiet and alike', () => {
  const steady = series(() => ({ calls: 100 }))
  const bursts = [10, 11, 44, 20, 61, 12, 38, 70, 15, 29, 55, 18, 47, 24, 66, 14, 35, 52, 21, 40]
  expect(
    changePoint([steady, series((at) => ({ calls: bursts[at % bursts.length] }))], slices),
  ).toBeUndefined()
})

it('finds the slice from which on the slowest calls take longer, and no change where both levels vary', () => {
  const tail = series((at) => ({ p90: at >= 9 ? 400 + (at % 3) : 20 + (at % 3) }))
  expect(changePoint([tail], slices)).toBe(9000)
  const busy = series((at) => ({ p90: (at >= 9 ? 45 : 20) + (at % 3) }))
  expect(changePoint([busy], slices)).toBeUndefined()
  // Half of the calls are on a slow path: the median is of either half, and is fast in the first three slices by chance.
  const mixed = [10, 11, 10, 160, 12, 150, 155, 11, 158, 10, 160, 12, 11, 150, 162, 13, 155, 12, 161, 150]
  expect(changePoint([series((at) => ({ p50: mixed[at] ?? 0 }))], slices)).toBeUndefined()
})

it('finds the slice in which calls began to be slow, and not an earlier one in which a client began to work', () => {
  const steady = series(() => ({ calls: 100 }))
  const begins = series((at) => ({ calls: at >= 5 ? 190 + (at % 7) : 15 + (at % 4) }))
  const slow = series((at) => ({ p50: at >= 13 ? 80 + (at % 3) : 10 + (at % 3) }))
  expect(changePoint([steady, begins], slices)).toBe(5000)
  expect(changePoint([steady, begins, slow], slices)).toBe(13_000)
})
