import { readSync } from 'node:fs'
import { MAX_BLOCK, walkBlocks } from './block-walk.ts'
import { BLOCK, STATISTICS_BYTES } from './segment-blocks.ts'

/** What the bytes of a segment say of it. Times are microseconds; 0 without packets. */
export interface SegmentContent {
  /** Length of its whole blocks. */
  readonly bytes: number
  readonly packets: number
  readonly drops: number
  readonly diskDrops: number
  readonly start: number
  readonly end: number
}

/** Walks a whole segment: for one that was open when the process ended, or whose tail does not speak. */
export function scanSegment(fd: number): SegmentContent {
  const buffer = new Uint8Array(2 * MAX_BLOCK)
  const found = { bytes: 0, packets: 0, drops: 0, diskDrops: 0, start: 0, end: 0 }
  let began = false
  const visitor = {
    packet(_at: number, _end: number, time: number) {
      found.packets++
      if (found.start === 0 || time < found.start) found.start = time
      if (time > found.end) found.end = time
    },
    statistics(_at: number, _end: number, _time: number, _received: number, dropped: number, disk: number) {
      found.drops = dropped
      found.diskDrops = disk
    },
    other(_at: number, _end: number, type: number) {
      if (type === BLOCK.section) began = true
    },
  }
  for (;;) {
    const read = readSync(fd, buffer, 0, buffer.length, found.bytes)
    const { at, damaged } = walkBlocks(buffer, 0, read, visitor)
    if (!began || at === 0) return found
    found.bytes += at
    if (damaged) return found
  }
}

type Counts = Pick<SegmentContent, 'packets' | 'drops' | 'diskDrops'>

/** The counts in the statistics block that ends a closed segment; undefined where there is none. */
export function readTail(fd: number, size: number): Counts | undefined {
  if (size < STATISTICS_BYTES) return undefined
  const buffer = new Uint8Array(STATISTICS_BYTES)
  const read = readSync(fd, buffer, 0, buffer.length, size - STATISTICS_BYTES)
  // A block ends with its length; other versions wrote shorter ones.
  const length = new DataView(buffer.buffer).getUint32(STATISTICS_BYTES - 4, true)
  let tail: Counts | undefined
  walkBlocks(buffer, Math.max(0, STATISTICS_BYTES - length), read, {
    packet() {},
    statistics(_at, _end, _time, packets, drops, diskDrops) {
      tail = { packets, drops, diskDrops }
    },
    other() {},
  })
  return tail
}
