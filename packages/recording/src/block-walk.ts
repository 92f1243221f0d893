import { BLOCK, STATISTIC } from './segment-blocks.ts'

/** Nothing that the ring writes is longer. */
export const MAX_BLOCK = 1 << 20
const TWO_32 = 4_294_967_296

/** What `walkBlocks` meets in the bytes of a segment; `bytes[at, end)` is the whole block. */
export interface BlockVisitor {
  packet(at: number, end: number, time: number): void
  /** Counts of the section so far; `disk` of the dropped ones were lost at the disk. */
  statistics(at: number, end: number, time: number, received: number, dropped: number, disk: number): void
  /** A section header or an interface description. */
  other(at: number, end: number, type: number): void
}

/**
 * Visits the whole blocks in `bytes[at, end)` and returns where it stopped. `damaged` is set where it stopped at
 * something that is no block of ours, rather than at the end.
 */
export function walkBlocks(
  bytes: Uint8Array,
  start: number,
  end: number,
  visitor: BlockVisitor,
): { readonly at: number; readonly damaged: boolean } {
  let at = start
  while (end - at >= 12) {
    const type = u32(bytes, at)
    const length = u32(bytes, at + 4)
    if (!isKnown(type) || length < 12 || length > MAX_BLOCK || (length & 3) !== 0)
      return { at, damaged: true }
    if (length > end - at) break
    if (u32(bytes, at + length - 4) !== length) return { at, damaged: true }
    if (type === BLOCK.packet) {
      if (length < 32 || u32(bytes, at + 20) > length - 32) return { at, damaged: true }
      visitor.packet(at, at + length, u32(bytes, at + 12) * TWO_32 + u32(bytes, at + 16))
    } else if (type === BLOCK.statistics) visitStatistics(bytes, at, at + length, visitor)
    else visitor.other(at, at + length, type)
    at += length
  }
  return { at, damaged: false }
}

function visitStatistics(bytes: Uint8Array, at: number, end: number, visitor: BlockVisitor): void {
  let received = 0
  let dropped = 0
  let byKernel: number | undefined
  for (let option = at + 20; option + 4 <= end - 4; ) {
    const code = u16(bytes, option)
    const length = u16(bytes, option + 2)
    if (code === 0 || option + 4 + length > end - 4) break
    const value = length === 8 ? u32(bytes, option + 8) * TWO_32 + u32(bytes, option + 4) : 0
    if (code === STATISTIC.received) received = value
    else if (code === STATISTIC.dropped) dropped = value
    else if (code === STATISTIC.byKernel) byKernel = value
    option += 4 + length + (-length & 3)
  }
  const time = u32(bytes, at + 12) * TWO_32 + u32(bytes, at + 16)
  // Who told no more than one number meant the kernel's.
  const disk = byKernel === undefined ? 0 : dropped
  visitor.statistics(at, end, time, received, (byKernel ?? 0) + dropped, disk)
}

function isKnown(type: number): boolean {
  return (
    type === BLOCK.packet || type === BLOCK.statistics || type === BLOCK.interface || type === BLOCK.section
  )
}

function u16(bytes: Uint8Array, at: number): number {
  return bytes[at] | (bytes[at + 1] << 8)
}

function u32(bytes: Uint8Array, at: number): number {
  return (bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)) >>> 0
}
