import type { Boundaries } from '@tapdeck/recording'
import type { Worker } from './worker.ts'

const WITHIN_MS = 3000

/** What the recording of a worker has now; what it last reported if it does not answer. */
export function boundariesOf(worker: Worker): Promise<Boundaries> {
  return worker.ask('boundaries', {}, { patience: WITHIN_MS }).catch(() => worker.report.recording)
}
