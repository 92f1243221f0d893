import { availableParallelism } from 'node:os'

/** More threads need a configured value: each has its own heap and an open index, some 150 MB. */
const DEFAULT_MAX_THREADS = 8

/** How many threads share the flows of a large file: as configured, or one a core. */
export function dissectionThreads(configured: number, cores = availableParallelism()): number {
  return configured === 0 ? Math.min(DEFAULT_MAX_THREADS, cores) : configured
}
