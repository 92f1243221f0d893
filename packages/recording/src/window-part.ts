/** One segment as it was when a reader took it: the first `bytes` of an open file. Times are microseconds. */
export interface WindowPart {
  readonly fd: number
  readonly start: number
  readonly end: number
  readonly bytes: number
  readonly packets: number
  readonly drops: number
  /** The segment was still being written: its counts do not stand in it yet. */
  readonly open: boolean
}
