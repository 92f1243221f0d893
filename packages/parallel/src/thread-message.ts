/** What a thread of a crew is started with. */
export interface ShardStart {
  readonly index: number
  readonly count: number
  /** Bytes of results under way, of each shard. */
  readonly underway: SharedArrayBuffer
  /** Of the application. */
  readonly data: unknown
}

export type ToShard =
  | {
      readonly kind: 'parcel'
      readonly number: number
      readonly count: number
      readonly bytes: SharedArrayBuffer
      readonly spill: SharedArrayBuffer
      readonly journal: SharedArrayBuffer
    }
  | { readonly kind: 'end' }

export type FromShard =
  | { readonly kind: 'result'; readonly result: unknown; readonly bytes: number }
  | { readonly kind: 'read'; readonly number: number }
  | { readonly kind: 'ended'; readonly last: unknown }
