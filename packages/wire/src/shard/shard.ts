/** The flows of a capture that one of several `Streams` follows. All of them receive all packets. */
export interface Shard {
  /** From 0 to `count - 1`. */
  readonly index: number
  readonly count: number
}
