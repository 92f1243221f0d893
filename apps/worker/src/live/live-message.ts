import type { MessagePort } from 'node:worker_threads'
import type { SkippedSpan } from '@tapdeck/api'
import type { QueueStatus } from '@tapdeck/index/clickhouse'
import type { ClickhouseStorage } from '@tapdeck/index/clickhouse-storage'
import type { NamesDelta } from '@tapdeck/inventory'
import type { Input, QuestionName } from '@tapdeck/questions'
import type { CoverageState, RecordedEvent } from '@tapdeck/recording'
import type { RedactionRules } from '@tapdeck/redact'
import type { StoredSecret } from '../keys/sealed-key-log.ts'
import type { BackfillStatus } from '../rewind/backfill.ts'
import type { HeldWindow } from '../rewind/rewind-message.ts'
import type { TargetOptions } from './targets.ts'

/** Start options of the live thread. */
export interface LiveStart {
  readonly node: string
  /** Address of the node, where it is known. */
  readonly nodeIp?: string
  /** Folder of the index; with ClickHouse, of what is known of its coverage. */
  readonly folder: string
  readonly maxBytes: number
  /** Calls are stored there; absent: in DuckDB, in `folder`. */
  readonly clickhouse?: ClickhouseStorage
  /** Bytes kept of each body. */
  readonly bodyBytes: number
  /** Rules of redaction; applied before anything is stored or shown. */
  readonly redaction?: RedactionRules
  readonly targets: TargetOptions
  /** TLS secrets of this node arrive as `keys`. */
  readonly opensTls?: boolean
}

/** Requests to the live thread and their answers. */
export interface LiveRequests {
  /** The port on which the capture thread sends blocks. */
  connect: { input: MessagePort; output: undefined }
  /** Answered when the switch has arrived with the blocks and everything before it is flushed. */
  indexing: { input: boolean; output: undefined }
  /** The reason of the next end of indexing, if it is not the switch. */
  endReason: { input: string; output: undefined }
  /** Which pods are indexed from now on. */
  targets: { input: TargetOptions; output: undefined }
  /** The key, in hexadecimal, that credentials are hashed with from now on. */
  credentialKey: { input: string; output: undefined }
  /** A change of the names of addresses. */
  names: { input: NamesDelta; output: undefined }
  /** Events that name the process of a connection. */
  owners: { input: readonly RecordedEvent[]; output: undefined }
  /** New TLS secrets. */
  keys: { input: readonly StoredSecret[]; output: undefined }
  /** All TLS secrets up to this time (Unix milliseconds) have arrived as `keys`. */
  keysCaughtUp: { input: number; output: undefined }
  /** A query to the index; the answer is JSON text, passed on unchanged. */
  query: { input: { name: QuestionName; input: Input<QuestionName> }; output: string }
  subscribe: { input: { subscription: number; kfl: string; traces?: boolean }; output: undefined }
  /** Without a number: all of them. */
  unsubscribe: { input: { subscription?: number }; output: undefined }
  status: { input: CaptureProgress; output: LiveStatus }
  /** Plans a backfill since a time (Unix milliseconds). Answers the time from which packets are needed. */
  plan: { input: number; output: number | undefined }
  /** Runs the planned backfill. Answered when it has finished or was aborted. */
  backfill: { input: BackfillInput; output: BackfillStatus | undefined }
  stop: { input: undefined; output: undefined }
}

/** Progress of the capture thread. Unix milliseconds. */
export interface CaptureProgress {
  /** The oldest time in the ring; null: the ring is empty; undefined: not known. */
  readonly since: number | null | undefined
  /** All packets up to this time were sent to the live thread some time ago. */
  readonly until: number
}

export interface BackfillInput {
  readonly held: HeldWindow
  readonly since: number
  /** Times without recorded packets, oldest first. */
  readonly unrecorded: readonly { readonly from: number; readonly to: number }[]
}

export interface LiveStatus {
  readonly indexing: boolean
  readonly packets: number
  readonly calls: number
  /** Calls that were another view of one that was indexed. */
  readonly duplicates: number
  /** Packets that were captured more than once, and count once. */
  readonly copies: number
  /** Calls of pods whose names did not arrive in time. */
  readonly unnamed: number
  /** Calls that other nodes may report as well. */
  readonly undecided: number
  readonly loss: Readonly<Record<string, number>>
  /** The longest delay in milliseconds between the last packet of a call and its emission, since the last report. */
  readonly lag: number
  /** Blocks of packets that arrived and are not read yet. */
  readonly waiting: number
  /** Calls that wait to be inserted into ClickHouse. */
  readonly queue?: QueueStatus
  readonly backfill?: BackfillStatus
  /** Times at which nothing was indexed. */
  readonly coverage?: CoverageState
  /** Why these times cannot be written to disk. */
  readonly coverageFailure?: string
}

/** A `calls` message for the hub, as JSON text, and what the subscription misses if it is not sent. */
export interface LiveCallsMessage {
  readonly kind: 'calls'
  readonly subscription: number
  readonly text: string
  readonly unsent: SkippedSpan
}

/** Messages of the live thread that answer no request. */
export type LiveNotification =
  | LiveCallsMessage
  | { readonly kind: 'fault'; readonly what: string; readonly detail: string }
