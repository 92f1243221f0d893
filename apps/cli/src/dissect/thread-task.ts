import type { CaptureInput } from './capture-input.ts'
import type { DissectSettings } from './dissect-work.ts'
import type { SharedFile } from './spool-file.ts'

/** What the threads of `tapdeck dissect` are to do. */
export interface ThreadTask {
  readonly inputs: readonly CaptureInput[]
  readonly settings: DissectSettings
  /** Where lines are put away. */
  readonly lines: SharedFile
}
