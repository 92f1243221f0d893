/** The start parameters of a thread. */
export interface ShardStart {
  readonly index: number
  readonly count: number
  /** Bytes of results in flight, of each shard. */
  readonly bytesInFlight: SharedArrayBuffer
  /** Whether each thread may be terminated: see `shardState`. */
  readonly states: SharedArrayBuffer
  /** Memory for shared chunks. */
  readonly slots: readonly SharedArrayBuffer[]
  /** `ShardPoolOptions.data`. */
  readonly data: unknown
}

/**
 * A thread starts without resources and may be terminated. It changes its state before it opens resources that would not
 * survive that. The first change wins: a thread that is ended first cannot open any.
 */
export const shardState = { free: 0, holds: 1, ended: 2 } as const

/** Messages to a thread. A shared chunk is in a slot; a chunk of no bytes ends its source. */
export type ToShard =
  | SharedChunk
  | { readonly kind: 'ask'; readonly id: number; readonly question: unknown }
  /** The thread need not wait any more. */
  | { readonly kind: 'dismiss' }
  /** The pool has stopped. */
  | { readonly kind: 'leave' }

export interface SharedChunk {
  readonly kind: 'chunk'
  readonly slot: number
  readonly length: number
}

export type FromShard =
  | { readonly kind: 'result'; readonly result: unknown; readonly bytes: number }
  | { readonly kind: 'read'; readonly slot: number }
  | { readonly kind: 'answer'; readonly id: number; readonly answer: unknown }
  /** The work is done, and the thread waits for `dismiss`. */
  | { readonly kind: 'waits' }
  | { readonly kind: 'ended'; readonly last: unknown }
