import { availableParallelism } from 'node:os'
import { MOST_THREADS } from '@tapdeck/parallel'

/** With fewer cores, handing calls over to the thread that writes the index costs more than another thread brings. */
const WORTH_SHARING = 4

/** How many threads share the flows of a large file: as configured, or all cores but that of the thread that writes. */
export function dissectionThreads(configured: number, cores = availableParallelism()): number {
  if (configured === 0 && cores < WORTH_SHARING) return 1
  return Math.min(MOST_THREADS, configured === 0 ? cores - 1 : configured)
}
