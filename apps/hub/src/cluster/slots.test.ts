import { expect, test } from 'vitest'
import { Slots } from './slots.ts'

/** Work that goes on until `end` is called. */
function heldWork() {
  let end = () => {}
  const held = new Promise<void>((resolve) => {
    end = resolve
  })
  return { held, end }
}

test('no more than allowed run at the same time, and those that wait start in order', async () => {
  const slots = new Slots(2)
  const started: number[] = []
  const works = [heldWork(), heldWork(), heldWork(), heldWork()]
  const runs = works.map(({ held }, at) =>
    slots.use(() => {
      started.push(at)
      return held
    }),
  )
  await expect.poll(() => started).toEqual([0, 1])
  works[1]!.end()
  await runs[1]
  await expect.poll(() => started).toEqual([0, 1, 2])
  for (const { end } of works) end()
  await Promise.all(runs)
  expect(started).toEqual([0, 1, 2, 3])
})

test('work that fails gives its slot back', async () => {
  const slots = new Slots(1)
  await expect(slots.use(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  expect(await slots.use(async () => 'next')).toBe('next')
})

test('never more slots than there are, and one slow work does not hold a large one', async () => {
  const slots = new Slots(4)
  let used = 0
  let most = 0
  const done: number[] = []
  const slow = heldWork()
  const held = slots.useUpTo(1, () => slow.held)
  const others = [4, 1, 2, 3, 4, 9].map((wanted, at) =>
    slots.useUpTo(wanted, async (taken) => {
      used += taken
      most = Math.max(most, used)
      await Promise.resolve()
      used -= taken
      done.push(at)
    }),
  )
  await Promise.all(others)
  expect(done.toSorted()).toEqual([0, 1, 2, 3, 4, 5])
  expect(most).toBe(3)
  slow.end()
  await held
})
