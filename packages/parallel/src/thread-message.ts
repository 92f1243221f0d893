/** What a thread of a crew is started with. */
export interface ShardStart {
  readonly index: number
  readonly count: number
  /** Bytes of results under way, of each shard. */
  readonly underway: SharedArrayBuffer
  /** Of each shard, whether it may be cut off: see `standing`. */
  readonly standings: SharedArrayBuffer
  /** Where chunks stand that the crew shares. */
  readonly slots: readonly SharedArrayBuffer[]
  /** Of the application. */
  readonly data: unknown
}

/**
 * A thread holds nothing when it starts, and may be cut off then; it says so before it opens what does not survive that.
 * Whoever comes first decides: one that is to end before cannot hold anything any more.
 */
export const standing = { free: 0, holds: 1, ended: 2 } as const

/** What a thread is told. A chunk that is shared stands in a slot; one of no bytes ends the source that they come from. */
export type ToShard =
  | SharedChunk
  | { readonly kind: 'ask'; readonly id: number; readonly question: unknown }
  /** It need not wait for anything more. */
  | { readonly kind: 'dismiss' }
  /** Its work is not wanted any more. */
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
  /** It has done its work, and waits to be dismissed. */
  | { readonly kind: 'waits' }
  | { readonly kind: 'ended'; readonly last: unknown }
