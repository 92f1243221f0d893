import type { BlockInfo } from './segment.ts'

/** Where direct writes begin and end, in memory and in the file: a multiple of what any disk wants. */
export const PAGE_BYTES = 4096

/** Enhanced packet blocks that fill whole pages, in memory that begins at one. */
export interface Pages {
  readonly bytes: Uint8Array
  /** Bytes before the first packet: room for a statistics block, `STATISTICS_BYTES` at least. */
  readonly front: number
  readonly packets: number
  /** Earliest and latest packet, microseconds since the epoch. */
  readonly first: number
  readonly last: number
}

export function bytesOf(pages: readonly Pages[]): number {
  let sum = 0
  for (const { bytes } of pages) sum += bytes.length
  return sum
}

export function infoOf(pages: readonly Pages[], drops: number): BlockInfo {
  let [packets, first, last] = [0, Number.POSITIVE_INFINITY, 0]
  for (const part of pages) {
    packets += part.packets
    first = Math.min(first, part.first)
    last = Math.max(last, part.last)
  }
  return { packets, first, last, drops }
}
