import { trials } from '@tapdeck/wire/testing'

/** Places from 0 to below `total`, at even steps: at most `all` of them in CI, otherwise about `sample` of those. */
export function evenPlaces(total: number, all: number, sample: number): number[] {
  const step = Math.max(1, Math.ceil(total / all))
  const places = Array.from({ length: Math.ceil(total / step) }, (_, index) => index * step)
  const stride = Math.max(1, Math.floor(places.length / trials(all, sample)))
  return places.filter((_, index) => index % stride === 0)
}
