import { availableParallelism } from 'node:os'
import { MOST_THREADS } from '@tapdeck/parallel'

/** With fewer cores, handing calls from thread to thread costs more than the second thread brings. */
const WORTH_SHARING = 4

/**
 * How many threads share the flows of a large file: as configured, or by the number of cores, of which one is left for the
 * thread that writes the index.
 */
export function dissectionThreads(configured: number, cores = availableParallelism()): number {
  const chosen = cores < WORTH_SHARING ? 1 : cores - 1
  return Math.min(MOST_THREADS, configured === 0 ? chosen : configured)
}
