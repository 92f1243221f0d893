import { parseDuration } from '@tapdeck/units'

/** Milliseconds of a duration that the schema has accepted; `0` means never. */
export function durationMs(text: string): number {
  return parseDuration(text) ?? 0
}
