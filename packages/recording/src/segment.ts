/** One file of the ring: a whole pcapng section, readable as it lies. Times are microseconds since the epoch. */
export interface Segment {
  readonly sequence: number
  readonly path: string
  readonly start: number
  readonly end: number
  readonly bytes: number
  readonly packets: number
  readonly drops: number
  /** Of the drops: those that the disk did not take. */
  readonly diskDrops: number
  /** Bytes of the index beside it; 0 where there is none (yet). */
  readonly indexBytes: number
}

/** What is known of a block of packets when it is appended. Times are microseconds since the epoch. */
export interface BlockInfo {
  readonly packets: number
  /** Earliest and latest packet. */
  readonly first: number
  readonly last: number
  /** Packets lost before they were read, since the block before this one. */
  readonly drops: number
}
