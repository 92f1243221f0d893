import type { CompactCall } from '@tapdeck/dissect'

/**
 * What hub and worker say to each other over the one WebSocket that the worker opens at `linkPath`, with
 * `Authorization: Bearer <worker credential>`. Text messages are JSON of these shapes; binary messages are pieces of
 * a streamed answer: 4 bytes request id (big endian), then the bytes. The same on one machine and in a cluster.
 */
export const linkPath = '/internal/worker'

export interface NodeLoss {
  readonly [kind: string]: number
}

/** Sent by a worker on connect, and again every second. */
export interface WorkerReport {
  readonly indexing: boolean
  readonly capture: {
    readonly active: boolean
    readonly reason?: string
    readonly interfaces: readonly string[]
  }
  readonly recording: {
    readonly oldest_ts: number | null
    readonly newest_ts: number | null
    readonly size_bytes: number
    readonly packet_count: number
    readonly dropped_packets: number
  }
  readonly packets_captured: number
  readonly packets_dissected: number
  readonly calls: number
  readonly loss: NodeLoss
}

export type WorkerMessage =
  | { readonly kind: 'hello'; readonly node: string; readonly version: string; readonly report: WorkerReport }
  | { readonly kind: 'report'; readonly report: WorkerReport }
  | { readonly kind: 'answer'; readonly id: number; readonly result: unknown }
  | {
      readonly kind: 'failure'
      readonly id: number
      readonly status: number
      readonly code: string
      readonly detail: string
      readonly extensions?: Readonly<Record<string, unknown>>
    }
  | {
      readonly kind: 'calls'
      readonly subscription: number
      readonly calls: readonly CompactCall[]
      readonly skipped: number
    }

/** Requests that are answered by one `answer` or `failure` under their id. */
export interface WorkerRequests {
  /** The switch. Answered once applied. */
  indexing: { input: { enabled: boolean }; output: { enabled: boolean } }
  /** Names of addresses; replaces what was sent before. */
  inventory: { input: { inventory: unknown }; output: Record<string, never> }
  boundaries: { input: Record<string, never>; output: WorkerReport['recording'] }
  calls: {
    input: {
      kfl: string
      limit: number
      order: 'newest' | 'oldest'
      format: 'compact' | 'full' | 'raw'
      start?: number
      end?: number
      cursor?: string
    }
    output: {
      calls: unknown[]
      total: number
      total_is: 'exact' | 'at_least' | 'estimate'
      next_cursor?: string
      cursors: string[]
    }
  }
  call: { input: { id: string }; output: { call: unknown } }
  count: { input: { kfl: string; start?: number; end?: number }; output: { count: number } }
  stats: {
    input: { kfl: string; group_by: string; limit: number; start?: number; end?: number }
    output: { groups: unknown[] }
  }
  flows: { input: Record<string, unknown>; output: { flows: unknown[]; total: number } }
  summary: {
    input: Record<string, never>
    output: {
      calls: number
      flows: number
      oldest_ts: number | null
      newest_ts: number | null
      size_bytes: number
      by_protocol: Record<string, number>
    }
  }
  /** Live calls that match, pushed as `calls` messages until `unsubscribe`. */
  subscribe: { input: { subscription: number; kfl: string }; output: Record<string, never> }
  unsubscribe: { input: { subscription: number }; output: Record<string, never> }
  /** The packets of a window as one pcapng, streamed as binary pieces; the answer comes after the last piece. */
  window: {
    input: { start: number; end: number }
    output: {
      packet_count: number
      size_bytes: number
      dropped_packets: number
      start_ts: number | null
      end_ts: number | null
      partial: boolean
    }
  }
}

export type HubMessage =
  | {
      [Name in keyof WorkerRequests]: {
        readonly kind: 'request'
        readonly id: number
        readonly request: Name
        readonly input: WorkerRequests[Name]['input']
      }
    }[keyof WorkerRequests]
  /** More bytes of a streamed answer may be sent (back-pressure). */
  | { readonly kind: 'credit'; readonly id: number; readonly bytes: number }
  | { readonly kind: 'cancel'; readonly id: number }

/** Bytes of a streamed answer that may be under way before the first `credit`. */
export const initialCredit = 4 * 1024 * 1024
