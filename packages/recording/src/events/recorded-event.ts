/** `cluster`: who came, changed and went by name. `os`: what processes of a node did. */
export type EventKind = 'cluster' | 'os'

/** An event outside of the packets. Further properties depend on its type. */
export interface RecordedEvent {
  /** Unix milliseconds, with the microseconds as a fraction where they are known. */
  readonly ts: number
  readonly kind: EventKind
  /** Such as `process_start` or `pod_added`. */
  readonly type: string
  /** Where it happened; absent where it is of the whole cluster. */
  readonly node?: string
  readonly [name: string]: unknown
}
