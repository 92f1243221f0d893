import { availableParallelism } from 'node:os'

/** More than this nobody gets who did not ask for it: each has a heap of its own and an index open, some 150 MB. */
const MOST_BY_DEFAULT = 8

/** How many threads share the flows of a large file: as configured, or one a core. */
export function dissectionThreads(configured: number, cores = availableParallelism()): number {
  return configured === 0 ? Math.min(MOST_BY_DEFAULT, cores) : configured
}
