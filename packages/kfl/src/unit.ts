import { parseMicroseconds } from '@tapdeck/units'

/** Microseconds of `250ms`, `1h30m`, `0` and `-5m`; undefined where it is no duration. */
export function parseDuration(text: string): number | undefined {
  const isNegative = text.startsWith('-')
  const body = isNegative ? text.slice(1) : text
  const microseconds = body === '0' ? 0 : parseMicroseconds(body)
  return isNegative && microseconds !== undefined ? -microseconds : microseconds
}
