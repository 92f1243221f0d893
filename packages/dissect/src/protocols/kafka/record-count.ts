import { int32 } from './frame.ts'

/** Offset and length go before each batch or message. */
export const PREFIX = 12
export const MAGIC = 16
const COUNT = 57

/** Records in `bytes[start, end)`: a batch says how many it has; before version 2 each message stands alone. */
export function countRecords(bytes: Uint8Array, start: number, end: number): number {
  let count = 0
  for (let at = start; at + MAGIC < end; ) {
    const length = int32(bytes, at + 8)
    if (length < 5) break
    if (bytes[at + MAGIC] < 2) count++
    else if (at + COUNT + 4 <= end) count += Math.max(0, int32(bytes, at + COUNT))
    at += PREFIX + length
  }
  return count
}
