import { afterEach, beforeEach, vi } from 'vitest'

/** Timers under the test's control, and the animation frames that Node.js lacks. */
export function fakeFrames(): void {
  beforeEach(() => {
    vi.useFakeTimers({ now: 1_700_000_000_000 })
    vi.stubGlobal('requestAnimationFrame', (run: () => void) => setTimeout(run, 16))
    vi.stubGlobal('cancelAnimationFrame', (frame: ReturnType<typeof setTimeout>) => clearTimeout(frame))
  })
  afterEach(() => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  })
}
