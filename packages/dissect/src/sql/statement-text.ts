import { utf8Lossy } from '../text.ts'

/** A statement as text. What was cut off in the middle of a character, or is no UTF-8, shows as U+FFFD. */
export function statementText(bytes: Uint8Array): string {
  return utf8Lossy(bytes)
}

/** As much of `bytes[start, end)` as fits, up to the end of a character. */
export function cutText(bytes: Uint8Array, start: number, end: number, ceiling: number): number {
  if (end - start <= ceiling) return end
  let at = start + ceiling
  for (let i = 0; i < 3 && at > start && (bytes[at] & 0xc0) === 0x80; i++) at--
  return at
}
