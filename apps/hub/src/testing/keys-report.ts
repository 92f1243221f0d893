import type { WorkerReport } from '@tapdeck/api'

/** What a worker reports that collects keys. */
export const keysReport: NonNullable<WorkerReport['tls_keys']> = {
  reason: 'Process 7 (nginx) had more than 5 hits per second.',
  secrets: 28,
  bad_lines: 1,
  files: 1,
  probes: 2,
  hits: 30,
  hits_per_second: 1.5,
  missed: 3,
  learning_failures: 4,
  over_budget: 5,
  log: { bytes: 6, held: 28, written: 28, waiting: 0, refused: 0, locked: 0, damaged: 0, evicted: 0 },
}
