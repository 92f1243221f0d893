import { expect, test } from 'vitest'
import { type ByteRange, type Slice, SlicePlan } from './slice-plan.ts'

const SECOND = 1_000_000
/** Ranges with 100 bytes per second. */
const stretches: ByteRange[] = Array.from({ length: 100 }, (_, at) => ({
  first: at * SECOND,
  last: (at + 1) * SECOND - 1,
  bytes: 100,
}))

function all(plan: SlicePlan, direction: 'before' | 'after', at: number, bytes: number): Slice[] {
  const slices: Slice[] = []
  for (let slice = plan[direction](at, bytes); slice; slice = plan[direction](at, bytes)) {
    slices.push(slice)
    at = direction === 'before' ? slice.from : slice.to
  }
  return slices
}

test.each(['before', 'after'] as const)(
  'slices %s a time cover the window without a gap or a repeat',
  (direction) => {
    const [from, to] = [10 * SECOND + 5, 90 * SECOND + 7]
    const slices = all(new SlicePlan(stretches, from, to), direction, direction === 'before' ? to : from, 700)
    const inOrder = slices.toSorted((a, b) => a.from - b.from)
    expect(inOrder[0]!.from).toBe(from)
    expect(inOrder.at(-1)!.to).toBe(to)
    for (const [at, slice] of inOrder.slice(1).entries()) expect(slice.from).toBe(inOrder[at]!.to)
    expect(slices.length).toBe(12)
  },
)

test('at most the size of the slice is read around it', () => {
  const slice = new SlicePlan(stretches, 0, 100 * SECOND).before(50 * SECOND, 1000)!
  expect(slice).toMatchObject({ from: 40 * SECOND, to: 50 * SECOND, readFrom: 35 * SECOND })
  expect(slice.readTo).toBe(55 * SECOND - 1)
  expect(slice.bytes).toBe(2000)
})

test('packets more than a minute away are not read', () => {
  const far = [
    { first: 0, last: 1, bytes: 1 },
    { first: 200 * SECOND, last: 201 * SECOND, bytes: 1 },
  ]
  const slice = new SlicePlan(far, 150 * SECOND, 300 * SECOND).before(300 * SECOND, 1)!
  expect(slice.readFrom).toBe(200 * SECOND - 60 * SECOND)
})

test('there is no slice if nothing remains', () => {
  const plan = new SlicePlan(stretches, 10 * SECOND, 20 * SECOND)
  expect(plan.before(10 * SECOND, 100)).toBeUndefined()
  expect(plan.after(20 * SECOND, 100)).toBeUndefined()
  expect(new SlicePlan([], 0, SECOND).before(SECOND, 100)).toBeUndefined()
})
