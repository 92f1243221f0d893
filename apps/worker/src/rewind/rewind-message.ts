import type { WorkerRequests } from '@tapdeck/api'
import type { RecordedEvent, WindowPart } from '@tapdeck/recording'
import type { RedactionRules } from '@tapdeck/redact'

/** What the rewind thread is started with. */
export interface RewindStart {
  readonly node: string
  readonly nodeIp?: string
  /** Bytes kept of each body. */
  readonly bodyBytes: number
  /** What is made unreadable before anything is shown. */
  readonly redaction?: RedactionRules
  readonly budget: Budget
}

/** How much one answer may cost. */
export interface Budget {
  /** Milliseconds. */
  readonly time: number
  readonly bytes: number
}

/** Segments of the recording, opened, and when they begin (milliseconds). Whoever holds them closes them. */
export interface Held {
  readonly parts: readonly WindowPart[]
  readonly oldest: number | null
  /** Where there are too many of them for one answer: up to where, from the end that is searched first, they reach. Microseconds. */
  readonly edge?: number
}

/** What it is asked, and what it answers: JSON already. */
export interface RewindRequests {
  inventory: { input: unknown; output: undefined }
  /** Events that say which process owns a connection. */
  owners: { input: readonly RecordedEvent[]; output: undefined }
  calls: { input: { held: Held; query: WorkerRequests['rewind']['input'] }; output: string }
  call: { input: { held: Held; query: WorkerRequests['rewind_call']['input'] }; output: string }
}
