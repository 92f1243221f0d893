import type { InterfaceName } from '@tapdeck/api'
import type { Caller } from '../access/caller.ts'
import type { ProgressListener } from './progress.ts'

/** The caller of an operation, and the interface that the request came through. */
export interface RequestContext {
  readonly caller: Caller
  readonly interface: InterfaceName | 'alias'
  readonly headers: Headers
  readonly signal: AbortSignal
  /** Absent: the caller does not want to be informed of progress. */
  readonly onProgress?: ProgressListener
  /** The request body, for an operation that accepts bytes. */
  readonly bytes?: ReadableStream<Uint8Array>
}
