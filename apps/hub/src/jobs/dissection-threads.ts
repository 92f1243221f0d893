import { availableParallelism } from 'node:os'
import { MOST_THREADS, sharingThreads } from '@tapdeck/parallel'

/** How many threads share the flows of a large file: as configured, or by the number of cores. */
export function dissectionThreads(configured: number, cores = availableParallelism()): number {
  return configured === 0 ? sharingThreads(cores) : Math.min(MOST_THREADS, configured)
}
