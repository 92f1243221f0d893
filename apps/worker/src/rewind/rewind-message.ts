import type { WorkerRequests } from '@tapdeck/api'
import type { RecordedEvent, WindowPart } from '@tapdeck/recording'
import type { RedactionRules } from '@tapdeck/redact'
import type { StoredSecret } from '../keys/sealed-key-log.ts'

/** Start options of the rewind thread. */
export interface RewindStart {
  readonly node: string
  readonly nodeIp?: string
  /** Bytes kept of each body. */
  readonly bodyBytes: number
  /** Rules of redaction; applied before anything is shown. */
  readonly redaction?: RedactionRules
  readonly budget: Budget
  /** TLS secrets of this node arrive as `keys`. */
  readonly opensTls?: boolean
}

/** Limits of one query. */
export interface Budget {
  /** Milliseconds. */
  readonly time: number
  readonly bytes: number
}

/** Open segments of the recording, and the oldest time in them (milliseconds). The caller that requested them closes them. */
export interface HeldWindow {
  readonly parts: readonly WindowPart[]
  readonly oldest: number | null
  /** Set if there are too many segments for one answer: the far edge of those in `parts`. Microseconds. */
  readonly edge?: number
}

/** Requests to the rewind thread. Answers are JSON text. */
export interface RewindRequests {
  inventory: { input: unknown; output: undefined }
  /** The key, in hexadecimal, that credentials are hashed with from now on. */
  credentialKey: { input: string; output: undefined }
  /** Events that name the process of a connection. */
  owners: { input: readonly RecordedEvent[]; output: undefined }
  /** New TLS secrets. */
  keys: { input: readonly StoredSecret[]; output: undefined }
  calls: { input: { held: HeldWindow; query: WorkerRequests['rewind']['input'] }; output: string }
  call: { input: { held: HeldWindow; query: WorkerRequests['rewind_call']['input'] }; output: string }
}
