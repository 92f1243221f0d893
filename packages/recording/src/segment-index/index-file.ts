import { readFileSync, writeFileSync } from 'node:fs'
import { type Region, SegmentIndex } from './segment-index.ts'

/** `TDX1`, least significant byte first. */
const MAGIC = 0x31584454
const HEADER_WORDS = 6
const REGION_NUMBERS = 6
const COARSE = 0xffffffff

/** Where the index of a segment stands. */
export function indexPath(segment: string): string {
  return `${segment}.idx`
}

/**
 * Header (magic, checksum of all that follows, length of the segment modulo 2^32, regions, keys, postings), then the
 * regions as 64-bit numbers, the keys, their starts and the postings.
 */
export function formatIndex(segmentBytes: number, index: SegmentIndex): Uint8Array {
  const { keys, starts, postings } = index.parties
  const bytes = new Uint8Array(sizeOf(index.regions.length, keys.length, postings.length))
  const words = new Uint32Array(bytes.buffer, 0, HEADER_WORDS)
  words.set([
    MAGIC,
    0,
    segmentBytes,
    index.regions.length,
    index.isCoarse ? COARSE : keys.length,
    postings.length,
  ])
  let at = HEADER_WORDS * 4
  const numbers = new Float64Array(bytes.buffer, at, index.regions.length * REGION_NUMBERS)
  for (const [number, { at: from, end, packets, first, last, describes }] of index.regions.entries())
    numbers.set([from, end, packets, first, last, Number(describes)], number * REGION_NUMBERS)
  at += numbers.byteLength
  for (const part of [keys, starts, postings]) {
    bytes.set(new Uint8Array(part.buffer, part.byteOffset, part.byteLength), at)
    at += part.byteLength
  }
  words[1] = checksum(bytes)
  return bytes
}

/** Returns the bytes that it takes on disk. */
export function writeIndex(segment: string, segmentBytes: number, index: SegmentIndex): number {
  const bytes = formatIndex(segmentBytes, index)
  writeFileSync(indexPath(segment), bytes, { mode: 0o600 })
  return bytes.length
}

/** The index of a segment of that length; undefined where there is none that can be trusted. */
export function readIndex(segment: string, segmentBytes: number): SegmentIndex | undefined {
  try {
    return parseIndex(readFileSync(indexPath(segment)), segmentBytes)
  } catch {
    return undefined
  }
}

/** Undefined where it cannot be trusted. */
export function parseIndex(file: Uint8Array, segmentBytes: number): SegmentIndex | undefined {
  if (file.length < HEADER_WORDS * 4) return undefined
  const bytes = new Uint8Array(file)
  const [magic, sum, length, regionCount, keyCount, postingCount] = new Uint32Array(
    bytes.buffer,
    0,
    HEADER_WORDS,
  ) as unknown as [number, number, number, number, number, number]
  const known = keyCount === COARSE ? 0 : keyCount
  if (magic !== MAGIC || length !== segmentBytes >>> 0 || sum !== checksum(bytes)) return undefined
  if (bytes.length !== sizeOf(regionCount, known, postingCount)) return undefined
  const numbers = new Float64Array(bytes.buffer, HEADER_WORDS * 4, regionCount * REGION_NUMBERS)
  const regions = Array.from({ length: regionCount }, (_, number): Region => {
    const [at = 0, end = 0, packets = 0, first = 0, last = 0, describes] = numbers.subarray(
      number * REGION_NUMBERS,
    )
    return { at, end, packets, first, last, describes: describes === 1 }
  })
  if (!areInOrder(regions, segmentBytes)) return undefined
  if (keyCount === COARSE) return new SegmentIndex(regions)
  let at = HEADER_WORDS * 4 + numbers.byteLength
  const keys = new Int32Array(bytes.buffer, at, known)
  at += keys.byteLength
  const starts = new Uint32Array(bytes.buffer, at, known + 1)
  at += starts.byteLength
  if (!areStarts(starts, postingCount)) return undefined
  return new SegmentIndex(regions, {
    keys,
    starts,
    postings: new Uint16Array(bytes.buffer, at, postingCount),
  })
}

/** One after the other from the begin, within the segment. Who wrote the file may lie: readers go by these numbers. */
function areInOrder(regions: readonly Region[], segmentBytes: number): boolean {
  let last = 0
  for (const { at, end } of regions) {
    if (at !== last || !Number.isSafeInteger(end) || end <= at) return false
    last = end
  }
  return last <= segmentBytes
}

/** Ascending, and within the postings. */
function areStarts(starts: Uint32Array, postings: number): boolean {
  let last = 0
  for (const start of starts) {
    if (start < last) return false
    last = start
  }
  return last <= postings
}

/** What `writeIndex` will take. */
export function indexBytes({ regions, parties: { keys, postings } }: SegmentIndex): number {
  return sizeOf(regions.length, keys.length, postings.length)
}

function sizeOf(regions: number, keys: number, postings: number): number {
  return HEADER_WORDS * 4 + regions * REGION_NUMBERS * 8 + keys * 4 + (keys + 1) * 4 + postings * 2
}

/** FNV-1a over all but the place of the checksum itself. */
function checksum(bytes: Uint8Array): number {
  let hash = 0x811c9dc5
  for (let at = 8; at < bytes.length; at++) hash = Math.imul(hash ^ bytes[at]!, 0x01000193)
  return hash >>> 0
}
