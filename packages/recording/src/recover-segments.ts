import {
  closeSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readdirSync,
  renameSync,
  statSync,
  unlinkSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Segment } from './segment.ts'
import { statisticsBlock } from './segment-blocks.ts'
import { indexPath } from './segment-index/index-file.ts'
import { closedName, parseName, type SegmentName } from './segment-name.ts'
import { readTail, scanSegment } from './segment-scan.ts'

/** What a folder holds. */
export interface RecoveredSegments {
  /** Oldest first. */
  readonly segments: Segment[]
  /**
   * All packets up to here, in microseconds, were stored when the process ended; 0 without packets. A write that was late
   * leaves an older segment torn though a newer one has packets: what counts is the oldest torn segment.
   */
  readonly until: number
}

/**
 * The segments in a folder, oldest first. Of a closed one only the tail is read; one that was open when the process
 * ended is cut after its last whole block and closed. Files that are no segments, or cannot be read, are left alone.
 */
export function recoverSegments(folder: string): RecoveredSegments {
  const segments: Segment[] = []
  let torn = Number.POSITIVE_INFINITY
  const files = new Set(readdirSync(folder))
  for (const file of files) {
    if (isOrphan(file, files)) unlinkSync(join(folder, file))
    const name = parseName(file)
    if (!name) continue
    if (!name.range) torn = Math.min(torn, name.sequence)
    try {
      const segment = name.range ? readClosed(folder, file, name) : closeTorn(folder, file, name)
      if (segment) segments.push(segment)
    } catch {
      // Unreadable now; it may be readable again at the next start.
    }
  }
  segments.sort((a, b) => a.sequence - b.sequence)
  const whole = segments.filter(({ sequence }) => sequence <= torn)
  return { segments, until: Math.max(0, ...whole.slice(-2).map(({ end }) => end)) }
}

/** The index of a segment that is no longer there. */
function isOrphan(file: string, files: ReadonlySet<string>): boolean {
  const segment = file.slice(0, -indexPath('').length)
  return file === indexPath(segment) && parseName(segment) !== undefined && !files.has(segment)
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

function readClosed(folder: string, file: string, name: SegmentName): Segment {
  const path = join(folder, file)
  const fd = openSync(path, 'r')
  try {
    const bytes = fstatSync(fd).size
    const { packets, drops, diskDrops } = readTail(fd, bytes) ?? scanSegment(fd)
    return {
      sequence: name.sequence,
      path,
      ...name.range!,
      bytes,
      packets,
      drops,
      diskDrops,
      indexBytes: sizeOf(indexPath(path)),
    }
  } finally {
    closeSync(fd)
  }
}

function closeTorn(folder: string, file: string, name: SegmentName): Segment | undefined {
  const path = join(folder, file)
  const fd = openSync(path, 'r+')
  try {
    const { bytes, packets, drops, diskDrops, start, end } = scanSegment(fd)
    if (packets === 0) {
      unlinkSync(path)
      return undefined
    }
    ftruncateSync(fd, bytes)
    const tail = statisticsBlock(end, packets, drops, diskDrops)
    writeSync(fd, tail, 0, tail.length, bytes)
    const closed = join(folder, closedName(name.sequence, start, end))
    renameSync(path, closed)
    return {
      ...{ sequence: name.sequence, path: closed, start, end, packets, drops, diskDrops },
      bytes: bytes + tail.length,
      indexBytes: 0,
    }
  } finally {
    closeSync(fd)
  }
}
