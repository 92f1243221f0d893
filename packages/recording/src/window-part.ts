/** One segment as it was when a reader took it: the first `bytes` of an open file. Times are microseconds. */
export interface WindowPart {
  readonly fd: number
  /** Where it stood when it was taken; it may be gone meanwhile, the open file stays. */
  readonly path: string
  readonly start: number
  readonly end: number
  readonly bytes: number
  readonly packets: number
  readonly drops: number
  /** Of the drops: those that the disk did not take. */
  readonly diskDrops: number
  /** The segment was still being written: its counts do not stand in it yet. */
  readonly open: boolean
}
