import type { CaptureInput } from './capture-input.ts'
import type { DissectSettings } from './dissect-work.ts'

/** What the threads of `tapdeck dissect` are to do. */
export interface ThreadTask {
  readonly inputs: readonly CaptureInput[]
  readonly settings: DissectSettings
}
