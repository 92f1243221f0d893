import { availableParallelism } from 'node:os'
import { MOST_THREADS } from '@tapdeck/parallel'

/** How many threads a dissection job may use: as configured, or by the number of cores. */
export function dissectionThreads(configured: number): number {
  return Math.min(MOST_THREADS, configured === 0 ? availableParallelism() : configured)
}
