/** One of several `Streams` that share the flows of a capture between them: all see all packets, each follows its own. */
export interface Shard {
  /** From 0 to `count - 1`. */
  readonly index: number
  readonly count: number
}
