import { expect, test } from 'vitest'
import { END_PX, RowScroll } from './row-scroll.ts'

const VIEW = 540

test('a list that a browser can hold is placed as it is', () => {
  const scroll = new RowScroll()
  scroll.resize(1000, 27, VIEW)
  scroll.moved(2700)
  expect([scroll.height, scroll.placeOf(100), scroll.seen]).toEqual([
    27_000 + END_PX,
    2700,
    { first: 100, last: 119 },
  ])
})

test('a list of millions has both ends, and a jump of the scroll bar leads to its share of the rows', () => {
  const scroll = new RowScroll()
  scroll.resize(4_000_000, 27, VIEW)
  expect(scroll.height).toBe(15_000_000)
  scroll.moved(scroll.height - VIEW)
  expect(scroll.seen.last).toBe(3_999_999)
  scroll.moved((scroll.height - VIEW) / 2)
  expect(Math.abs(scroll.seen.first - 2_000_000)).toBeLessThan(20)
  scroll.moved(0)
  expect(scroll.seen.first).toBe(0)
})

test('small steps move the rows by as much, however long the list is', () => {
  const scroll = new RowScroll()
  scroll.resize(4_000_000, 27, VIEW)
  let bar = scroll.scrollTo(54_000_000)
  const { first } = scroll.seen
  const place = scroll.placeOf(first)
  bar += 270
  scroll.moved(bar)
  expect(scroll.seen.first).toBe(first + 10)
  // The rows do not jump under the eye: their element stays where it is.
  expect(scroll.placeOf(first)).toBeCloseTo(place, 3)
  expect(scroll.honestBarTop).toBeLessThan(bar)
})

test('a row is brought to the nearer edge of the screen, or not moved', () => {
  const scroll = new RowScroll()
  scroll.resize(4_000_000, 27, VIEW)
  scroll.scrollTo(scroll.topFor(3_999_999))
  expect(scroll.seen.last).toBe(3_999_999)
  scroll.scrollTo(scroll.topFor(3_999_990))
  expect(scroll.seen.last).toBe(3_999_999)
  scroll.scrollTo(scroll.topFor(12))
  expect(scroll.seen.first).toBe(12)
})

test('the first row stays where rows become higher', () => {
  const scroll = new RowScroll()
  scroll.resize(1_000_000, 27, VIEW)
  scroll.scrollTo(2_700_000)
  scroll.resize(1_000_000, 48, VIEW)
  expect(scroll.seen.first).toBe(100_000)
})
