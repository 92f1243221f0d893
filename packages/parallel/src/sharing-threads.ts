import { MOST_THREADS } from './crew.ts'

/** With fewer cores, dealing packets out and handing calls over costs more than the second thread brings. */
const WORTH_SHARING = 4

/** How many threads share the flows of a large file; one core is left for the thread that deals and takes. */
export function sharingThreads(cores: number): number {
  return cores < WORTH_SHARING ? 1 : Math.min(MOST_THREADS, cores - 1)
}
