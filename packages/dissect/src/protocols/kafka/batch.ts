import { int32 } from './frame.ts'

/** Offset and length go before each batch or message. */
export const PREFIX = 12
/** Where the version of a batch or message is. */
export const MAGIC = 16
/** Bytes before the records of a batch. */
export const BATCH_HEADER = 61
/** Where its attributes are: the compression, and whether it is a marker of a transaction. */
export const ATTRIBUTES = 21
const COUNT = 57

/** A batch of records, or before version 2 a message. */
export interface Batch {
  readonly start: number
  /** At most the end of what was captured. */
  readonly end: number
  readonly isCut: boolean
  readonly version: number
}

/** The batches in `bytes[start, end)`, as far as their lengths make sense. */
export function* batches(bytes: Uint8Array, start: number, end: number): Generator<Batch> {
  for (let at = start; at + MAGIC < end; ) {
    const length = int32(bytes, at + 8)
    if (length < 5) return
    const next = at + PREFIX + length
    yield { start: at, end: Math.min(end, next), isCut: next > end, version: bytes[at + MAGIC] }
    at = next
  }
}

/** Records of a batch, as it says; a message of an older version is one. */
export function recordsOf(bytes: Uint8Array, { start, end, version }: Batch): number {
  if (version < 2) return 1
  return start + COUNT + 4 <= end ? Math.max(0, int32(bytes, start + COUNT)) : 0
}

/** Records in `bytes[start, end)`. */
export function countRecords(bytes: Uint8Array, start: number, end: number): number {
  let count = 0
  for (const batch of batches(bytes, start, end)) count += recordsOf(bytes, batch)
  return count
}
