import type { MessagePort } from 'node:worker_threads'
import type { TargetOptions } from './targets.ts'

/** What the live thread is started with. */
export interface LiveStart {
  readonly node: string
  /** Where its index lies. */
  readonly folder: string
  readonly maxBytes: number
  /** Bytes kept of each body. */
  readonly bodyBytes: number
  readonly targets: TargetOptions
}

/** What it is asked, and what it answers. */
export interface LiveRequests {
  /** Where blocks come from: the other end of the capture thread's port. */
  connect: { input: MessagePort; output: undefined }
  /** Answered once the switch that came with the blocks is the one asked for, with all before it flushed. */
  indexing: { input: boolean; output: undefined }
  inventory: { input: unknown; output: undefined }
  /** A question to the index; the answer is JSON already, to be passed on as it is. */
  query: { input: { name: string; input: unknown }; output: string }
  subscribe: { input: { subscription: number; kfl: string }; output: undefined }
  /** Without a number: all of them. */
  unsubscribe: { input: { subscription?: number }; output: undefined }
  status: { input: undefined; output: LiveStatus }
  stop: { input: undefined; output: undefined }
}

export interface LiveStatus {
  readonly indexing: boolean
  readonly packets: number
  readonly calls: number
  readonly loss: Readonly<Record<string, number>>
}

/** What it says unasked. */
export type LiveNews =
  /** A `calls` message for the hub, JSON already. */
  | { readonly news: 'calls'; readonly text: string }
  | { readonly news: 'fault'; readonly what: string; readonly detail: string }
