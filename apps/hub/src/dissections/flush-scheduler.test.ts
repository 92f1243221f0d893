import { ROWS_A_COMMIT } from '@tapdeck/index'
import { expect, it, vi } from 'vitest'
import { FlushScheduler } from './flush-scheduler.ts'

/** What `FlushScheduler` uses of an index, with flushes that end when the test says so. */
class SlowIndex {
  flushScheduler = 0
  #end: { done(): void; failed(error: Error): void } | undefined

  flush(): Promise<void> {
    this.flushScheduler++
    return new Promise((done, failed) => {
      this.#end = { done, failed }
    })
  }

  done(): void {
    this.#end?.done()
  }

  failed(): void {
    this.#end?.failed(new Error('no room'))
  }
}

it('does not wait for the disk, but never begins a flush before the last one has ended', async () => {
  const index = new SlowIndex()
  const flushScheduler = new FlushScheduler(index)
  await flushScheduler.now(1)
  expect(index.flushScheduler).toBe(1)
  const next = flushScheduler.now(1_000_000)
  await Promise.resolve()
  expect(index.flushScheduler).toBe(1)
  index.done()
  await next
  expect(index.flushScheduler).toBe(2)
  const end = flushScheduler.end()
  index.done()
  await expect.poll(() => index.flushScheduler).toBe(3)
  index.done()
  await end
})

it('leaves few calls that came within the same second for later', async () => {
  const index = new SlowIndex()
  const flushScheduler = new FlushScheduler(index)
  await flushScheduler.now(0)
  expect(index.flushScheduler).toBe(0)
  await flushScheduler.now(1)
  await flushScheduler.now(2)
  expect(index.flushScheduler).toBe(1)
})

it('reports a flush that failed at the next one, or at the end', async () => {
  const index = new SlowIndex()
  const flushScheduler = new FlushScheduler(index)
  await flushScheduler.now(1)
  index.failed()
  await expect(flushScheduler.now(1_000_000)).rejects.toThrow('no room')
  await expect(flushScheduler.end()).rejects.toThrow('no room')
})

it('leaves to the index what that commits by itself, but not for long', async () => {
  vi.useFakeTimers()
  try {
    const index = new SlowIndex()
    const flushScheduler = new FlushScheduler(index)
    await flushScheduler.now(1)
    index.done()
    vi.advanceTimersByTime(800)
    await flushScheduler.now(1 + ROWS_A_COMMIT)
    vi.advanceTimersByTime(800)
    await flushScheduler.now(2 + ROWS_A_COMMIT)
    expect(index.flushScheduler).toBe(1)
    vi.advanceTimersByTime(300)
    await flushScheduler.now(2 + ROWS_A_COMMIT)
    expect(index.flushScheduler).toBe(2)
    index.done()
    // However fast it goes, a chunk that is full must end some time.
    await flushScheduler.now(10 * ROWS_A_COMMIT)
    expect(index.flushScheduler).toBe(3)
  } finally {
    vi.useRealTimers()
  }
})
