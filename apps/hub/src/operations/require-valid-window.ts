import { Problem } from '@tapdeck/api'

/** 400 where a window ends before it begins: an empty answer would look like a quiet network. */
export function requireValidWindow({
  start,
  end,
}: {
  readonly start?: number | undefined
  readonly end?: number | undefined
}): void {
  if (start !== undefined && end !== undefined && start > end)
    throw new Problem(400, 'invalid_input', 'start is after end')
}
