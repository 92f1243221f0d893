import { crc24, payloadCrc } from './checksum.ts'

/** Behind the payload. */
const TRAILER = 4

/**
 * What version 5 wraps its messages in, once the connection is set up: a payload of at most 128 KiB with a header that
 * says its length and has a checksum of its own, which is how a segment is known.
 */
export interface Segment {
  readonly header: number
  /** Of header, payload and trailer. */
  readonly length: number
  /** Of the payload once it is unfolded; 0: it is not compressed. */
  readonly unfolded: number
  /** Whole messages, one or many; else a part of one. */
  readonly selfContained: boolean
  readonly compressed: boolean
}

/** Bytes that must be there to tell. */
export const SEGMENT_HEADER = 8

export function segmentAt(bytes: Uint8Array, at: number): Segment | undefined {
  const low = bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16)
  const length = low & 0x1ffff
  if (sum(bytes, at + 3) === crc24(bytes, at, at + 3)) {
    const selfContained = (low & 0x20000) !== 0
    return { header: 6, length: 6 + length + TRAILER, unfolded: 0, selfContained, compressed: false }
  }
  if (sum(bytes, at + 5) !== crc24(bytes, at, at + 5)) return undefined
  // Seventeen bits each of the payload's length and of what it unfolds to.
  const unfolded = (low >>> 17) | ((bytes[at + 3] | ((bytes[at + 4] & 3) << 8)) << 7)
  const selfContained = (bytes[at + 4] & 4) !== 0
  return { header: 8, length: 8 + length + TRAILER, unfolded, selfContained, compressed: true }
}

function sum(bytes: Uint8Array, at: number): number {
  return bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16)
}

/** Has the payload of a segment that ends at `end` come as it was sent? */
export function isIntact(bytes: Uint8Array, payload: number, end: number): boolean {
  const at = end - TRAILER
  const said = (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)) >>> 0
  return payloadCrc(bytes, payload, at) === said
}

export function payloadEnd(start: number, end: number, { length }: Segment): number {
  return Math.min(end, start + length - TRAILER)
}
