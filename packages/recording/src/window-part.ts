import { openSync } from 'node:fs'
import type { Segment } from './segment.ts'

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
  /** The segment was still being written: it has no counts yet. */
  readonly open: boolean
}

/** The segment as it is now; undefined if it was deleted, which does not affect the others. */
export function openPart(segment: Segment, open: boolean): WindowPart | undefined {
  const { path, start, end, bytes, packets, drops, diskDrops } = segment
  try {
    return { fd: openSync(path, 'r'), path, start, end, bytes, packets, drops, diskDrops, open }
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
