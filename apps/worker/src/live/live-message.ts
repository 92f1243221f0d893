import type { MessagePort } from 'node:worker_threads'
import type { RecordedEvent } from '@tapdeck/recording'
import type { RedactionRules } from '@tapdeck/redact'
import type { BackfillStatus } from '../rewind/backfill.ts'
import type { Held } from '../rewind/rewind-message.ts'
import type { TargetOptions } from './targets.ts'

/** What the live thread is started with. */
export interface LiveStart {
  readonly node: string
  /** Address of the node, where it is known. */
  readonly nodeIp?: string
  /** Where its index lies. */
  readonly folder: string
  readonly maxBytes: number
  /** Bytes kept of each body. */
  readonly bodyBytes: number
  /** What is made unreadable before anything is kept or shown. */
  readonly redaction?: RedactionRules
  readonly targets: TargetOptions
}

/** What it is asked, and what it answers. */
export interface LiveRequests {
  /** Where blocks come from: the other end of the capture thread's port. */
  connect: { input: MessagePort; output: undefined }
  /** Answered once the switch that came with the blocks is the one asked for, with all before it flushed. */
  indexing: { input: boolean; output: undefined }
  inventory: { input: unknown; output: undefined }
  /** Events that say which process owns a connection, as they become known. */
  owners: { input: readonly RecordedEvent[]; output: undefined }
  /** A question to the index; the answer is JSON already, to be passed on as it is. */
  query: { input: { name: string; input: unknown }; output: string }
  subscribe: { input: { subscription: number; kfl: string }; output: undefined }
  /** Without a number: all of them. */
  unsubscribe: { input: { subscription?: number }; output: undefined }
  /** The input is the oldest time in the ring, Unix milliseconds; null: it holds nothing; undefined: not known. */
  status: { input: number | null | undefined; output: LiveStatus }
  /** Indexes what was recorded before this period of indexing, from a time (Unix milliseconds) on. Answered when it is done or left. */
  backfill: { input: { held: Held; since: number }; output: BackfillStatus | undefined }
  stop: { input: undefined; output: undefined }
}

export interface LiveStatus {
  readonly indexing: boolean
  readonly packets: number
  readonly calls: number
  readonly loss: Readonly<Record<string, number>>
  /** Milliseconds from the last packet of a call to its being found: the most since it was last asked. */
  readonly lag: number
  /** Blocks of packets that came and were not read yet. */
  readonly waiting: number
  readonly backfill?: BackfillStatus
}

/** What it says unasked. */
export type LiveNews =
  /** A `calls` message for the hub, JSON already. */
  | { readonly news: 'calls'; readonly text: string }
  | { readonly news: 'fault'; readonly what: string; readonly detail: string }
