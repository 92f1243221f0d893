import { unlz4 } from '../../compression/lz4.ts'
import { unsnap } from '../../compression/snappy.ts'

/** More than a block of LZ4 can unfold to, for each byte. */
const MAX_RATIO = 256

/** What the body of a compressed message unfolds to. */
export interface Unfolded {
  readonly bytes: Uint8Array
  /** Its true length. */
  readonly size: number
  readonly algorithm: string
}

/**
 * The first `most` bytes of `bytes[start, end)`, a body of versions 3 and 4. Which algorithm it is, only STARTUP says:
 * where that was not seen, the one that the bytes make sense in.
 */
export function unfold(
  bytes: Uint8Array,
  start: number,
  end: number,
  most: number,
  algorithm: string | undefined,
): Unfolded | undefined {
  if (algorithm !== 'snappy') {
    const unfolded = unfoldLz4(bytes, start, end, most)
    if (unfolded !== undefined || algorithm === 'lz4') return unfolded
  }
  const size = snappySize(bytes, start, end)
  if (size === undefined) return undefined
  const unfolded = unsnap(bytes, start, end, Math.min(size, most))
  return unfolded === undefined ? undefined : { bytes: unfolded, size, algorithm: 'snappy' }
}

/** Cassandra puts the length before the block (§5). */
function unfoldLz4(bytes: Uint8Array, start: number, end: number, most: number): Unfolded | undefined {
  if (end - start < 5) return undefined
  const size =
    bytes[start] * 0x1000000 + ((bytes[start + 1] << 16) | (bytes[start + 2] << 8) | bytes[start + 3])
  if (size > (end - start) * MAX_RATIO && size > most) return undefined
  const unfolded = unlz4(bytes, start + 4, end, Math.min(size, most))
  return unfolded === undefined ? undefined : { bytes: unfolded, size, algorithm: 'lz4' }
}

function snappySize(bytes: Uint8Array, start: number, end: number): number | undefined {
  let size = 0
  for (let at = start, scale = 1; at < end && at < start + 5; at++, scale *= 128) {
    size += (bytes[at] & 0x7f) * scale
    if (bytes[at] < 0x80) return size
  }
  return undefined
}
