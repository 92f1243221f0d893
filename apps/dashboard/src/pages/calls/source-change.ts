import type { Address } from '../../address/address.ts'

/** The part of the recording that is searched first. */
const FIRST_WINDOW_MS = 300_000

/** The address of another source of calls. For the recording it has the window, so that a link shows the same later. */
export function sourceChange(db: string | undefined, now: number): Partial<Address> {
  const window =
    db === 'recording' ? { start: now - FIRST_WINDOW_MS, end: now } : { start: undefined, end: undefined }
  return { db, ...window, call: undefined }
}
