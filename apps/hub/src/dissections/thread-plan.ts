/** A smaller capture is dissected before threads have started. */
const WORTH_THREADS = 16_000_000
/** With other captures at work, one thread is worth it earlier. */
const WORTH_A_THREAD = 4_000_000

export function isWorthThreads(bytes: number): boolean {
  return bytes > WORTH_THREADS
}

/** The threads for each capture of a job, by its size; 0: the job's own thread, where captures wait for each other. */
export function threadPlan(sizes: readonly number[], threads: number): number[] {
  if (threads < 2) return sizes.map(() => 0)
  if (sizes.length === 1) return sizes.map((bytes) => (isWorthThreads(bytes) ? threads : 0))
  const total = sizes.reduce((sum, bytes) => sum + (bytes > WORTH_A_THREAD ? bytes : 0), 0)
  return sizes.map((bytes) =>
    bytes > WORTH_A_THREAD ? Math.max(1, Math.round((threads * bytes) / total)) : 0,
  )
}
