import { expect, test, vi } from 'vitest'
import { FrameBatch } from './frame-batch.ts'
import { fakeFrames } from './testing/frames.ts'

fakeFrames()

test('many requests make one run, and the next run keeps its distance', () => {
  let runs = 0
  const batch = new FrameBatch(
    () => runs++,
    () => 80,
  )
  for (let i = 0; i < 100; i++) batch.request()
  vi.advanceTimersByTime(50)
  expect(runs).toBe(1)
  for (let i = 0; i < 100; i++) batch.request()
  vi.advanceTimersByTime(20)
  expect(runs).toBe(1)
  vi.advanceTimersByTime(200)
  expect(runs).toBe(2)
})

test('a hidden page, which gets no frames, runs all the same', () => {
  vi.stubGlobal('requestAnimationFrame', () => 1)
  let runs = 0
  const batch = new FrameBatch(
    () => runs++,
    () => 80,
  )
  batch.request()
  vi.advanceTimersByTime(500)
  expect(runs).toBe(0)
  vi.advanceTimersByTime(1000)
  expect(runs).toBe(1)
})

test('cancelled is cancelled', () => {
  let runs = 0
  const batch = new FrameBatch(
    () => runs++,
    () => 80,
  )
  batch.request()
  batch.cancel()
  vi.advanceTimersByTime(5000)
  expect(runs).toBe(0)
})
