/** What a thread of a crew is started with. */
export interface ShardStart {
  readonly index: number
  readonly count: number
  /** Bytes of results under way, of each shard. */
  readonly underway: SharedArrayBuffer
  /** Where chunks stand that the crew shares. */
  readonly slots: readonly SharedArrayBuffer[]
  /** Of the application. */
  readonly data: unknown
}

/** A chunk that is shared, in a slot; one of no bytes ends the source that they come from. */
export interface ToShard {
  readonly slot: number
  readonly length: number
}

export type FromShard =
  | { readonly kind: 'result'; readonly result: unknown; readonly bytes: number }
  | { readonly kind: 'read'; readonly slot: number }
  | { readonly kind: 'ended'; readonly last: unknown }
