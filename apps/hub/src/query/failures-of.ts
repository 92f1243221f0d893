import type { StatsGroup } from '@tapdeck/questions'

/** Calls that failed; not those of which the capture has only one message. */
export function failuresOf({
  errors,
  capture_errors,
}: Pick<StatsGroup, 'errors' | 'capture_errors'>): number {
  return errors - capture_errors
}
