import { shadow } from '@tapdeck/wire'
import { ByteWriter } from './byte-writer.ts'

let isLent = false

/**
 * A writer whose memory stands beside the shadow of the file that is read: what lasts is copied into it by code, in a third of
 * the time. One at a time has it in each thread, for as long as it writes much, and gives it back; others do without.
 */
export function borrowWriter(): ByteWriter | undefined {
  if (isLent) return undefined
  isLent = true
  return new ByteWriter(shadow.room)
}

/** Neither it nor what `written` showed of it may be used any more. */
export function returnWriter(): void {
  isLent = false
}
