import { availableParallelism } from 'node:os'

/** What all suites have in common. */
export const shared = {
  // Limits find what hangs; they are far above what a slow machine needs.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  expect: { poll: { timeout: 60_000 } },
  // Vitest leaves one core free by default, which on two cores is half of them.
  maxWorkers: availableParallelism(),
}
