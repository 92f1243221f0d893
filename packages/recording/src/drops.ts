/** Packets that were on the wire and are not in the recording, by where they were lost. */
export interface Drops {
  /** The kernel's ring was full: this process did not come to read it. */
  readonly kernel: number
  /** A queue in the worker was full. No current version has such a queue. */
  readonly queue: number
  /** The disk did not take them. */
  readonly disk: number
}

/** `disk` of `all` dropped packets were lost at the disk, the others before they were read. */
export function dropsOf(all: number, disk: number): Drops {
  return { kernel: all - disk, queue: 0, disk }
}
