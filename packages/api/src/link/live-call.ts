import type { CompactCall } from '@tapdeck/dissect'

/** The trace that the request of a call belongs to, as its headers say. */
export interface TraceContext {
  /** 32 hexadecimal digits. */
  readonly trace_id: string
  /** 16 hexadecimal digits: the span of the caller, in which the request was sent. */
  readonly span_id: string
  /** Whether the caller records the trace. */
  readonly sampled: boolean
}

/** A call as workers push it; with its trace only in subscriptions with `traces`. */
export interface LiveCall extends CompactCall {
  readonly trace?: TraceContext
}
