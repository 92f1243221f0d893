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

/** Packets that are not in the recording, by where they were lost. */
export interface PacketDrops {
  readonly kernel: number
  readonly queue: number
  readonly disk: number
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
    readonly drops?: PacketDrops
  }
  readonly packets_captured: number
  readonly packets_dissected: number
  readonly calls: number
  /** What was recorded before indexing was turned on, and is indexed afterwards. Times are Unix milliseconds. */
  readonly backfill?: {
    readonly running: boolean
    readonly from_ts: number
    readonly to_ts: number
    readonly calls: number
    readonly packets: number
  }
  readonly loss: NodeLoss
  /** Memory and CPU time of the process, all its threads. */
  readonly process?: { readonly memory_bytes: number; readonly cpu_seconds: number }
  /** The recording of what processes do: why it sees not all, where that is so, and what it had to refuse. */
  readonly events?: {
    readonly size_bytes: number
    readonly refused: number
    readonly reason?: string
  }
  /** How late live calls were, from their last packet on, at most since the report before; blocks of packets that wait. */
  readonly live?: { readonly lag_ms: number; readonly waiting_blocks: number }
}

/** What an answer out of the recording cost. Times are Unix milliseconds. */
export interface RewindCost {
  readonly read_bytes: number
  /** All that is recorded in the window. */
  readonly window_bytes: number
  readonly packets: number
  readonly elapsed_ms: number
  readonly searched_from: number
  readonly searched_to: number
  /** Calls that were looked at, and how many of which protocol. */
  readonly calls: number
  readonly by_protocol: Readonly<Record<string, number>>
  /** Only packets of those whom the filter names were read. */
  readonly restricted: boolean
}

export type WorkerMessage =
  | {
      readonly kind: 'hello'
      readonly node: string
      readonly version: string
      /** Address of the node, where it is known. */
      readonly ip?: string
      readonly report: WorkerReport
    }
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
  /** From now on only packets are captured that match this BPF expression; empty: all. */
  capture_filter: { input: { expression: string }; output: Record<string, never> }
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
      /** Nobody is to ask for the next page now, though there may be one: what an answer may cost is spent. */
      spent?: boolean
    }
  }
  call: { input: { id: string }; output: { call: unknown } }
  count: { input: { kfl: string; start?: number; end?: number }; output: { count: number } }
  stats: {
    input: {
      kfl: string
      group_by: string
      limit: number
      start?: number
      end?: number
      /** Oldest and newest call of all who are asked the same. */
      span?: { from: number; to: number }
    }
    output: {
      groups: unknown[]
      /** From when on calls were counted, where not all could be read. */
      counted_from_ts?: number
    }
  }
  /** Values that a field has had lately. */
  values: {
    input: {
      field: string
      key?: string
      prefix: string
      kfl: string
      limit: number
      start?: number
      end?: number
    }
    output: { values: { value: string | number | boolean; calls: number }[] }
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
  /** Calls straight out of the recording, dissected as they are asked for, within a budget. */
  rewind: {
    input: {
      kfl: string
      limit: number
      order: 'newest' | 'oldest'
      format: 'compact' | 'full' | 'raw'
      start: number
      end: number
      cursor?: string
      /** At most as much as the worker's own budget. */
      max_ms?: number
      max_bytes?: number
    }
    output: WorkerRequests['calls']['output'] & {
      /** The budget ended before the limit was reached or all was searched. */
      spent: boolean
      rewind: RewindCost
    }
  }
  /** A call by its id; times in milliseconds narrow the search for the packet that its flow began with. */
  rewind_call: {
    input: { id: string; start?: number; end?: number }
    /** `complete`: what is null is not there; otherwise the budget ended before it was found. */
    output: { call: unknown; complete: boolean }
  }
  /** Events of this node. `reason`: why not all can be recorded. */
  events: {
    input: EventsInput
    output: {
      readonly events: readonly { readonly ts: number }[]
      readonly total: number
      readonly more: boolean
      readonly reason?: string
    }
  }
  /** The events of a window, and before it who owned the connections in it: lines of JSON, streamed as binary pieces. */
  event_window: { input: { start: number; end: number }; output: { count: number } }
  /**
   * The packets of a window as files in `folder`, a folder that the hub made among its snapshots: where both have the same
   * disk, nothing needs to be copied. Fails with `not_shared` where this worker sees no such folder.
   */
  hand_over: {
    input: { start: number; end: number; folder: string; max_bytes: number }
    output: WorkerRequests['window']['output'] & {
      /** To be read one after the other. */
      files: readonly { name: string; size_bytes: number; packet_count: number }[]
    }
  }
  /** The packets of a window as one pcapng, streamed as binary pieces; the answer comes after the last piece. */
  window: {
    /** With `parties`, only packets that have a key of each list; see `PacketKeys`. */
    input: { start: number; end: number; parties?: readonly (readonly number[])[] }
    output: {
      packet_count: number
      size_bytes: number
      dropped_packets: number
      drops?: PacketDrops
      start_ts: number | null
      end_ts: number | null
      partial: boolean
    }
  }
}

/** Which events are wanted; see `EventQuery` of the recording. */
export interface EventsInput {
  readonly start?: number
  readonly end?: number
  readonly kind?: 'cluster' | 'os'
  readonly type?: string
  readonly pid?: number
  readonly name?: string
  readonly order: 'newest' | 'oldest'
  readonly limit: number
  readonly from?: number
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
