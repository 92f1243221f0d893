import type { FoundDissection } from '@tapdeck/recording'

/** Why this hub does not fetch a result of the bucket; undefined where it may. `free`: bytes on its disk. */
export function unusable(
  { rules: made, files }: FoundDissection,
  rules: string,
  free: number,
): string | undefined {
  if (made !== rules)
    return 'it was made with other rules of tap.redaction or another tap.capture.dissection.bodyBytes than this hub has'
  if (files.reduce((sum, { size_bytes }) => sum + size_bytes, 0) > free)
    return 'no space: snapshots and dissections have reached tap.snapshots.local.storageSize'
  return undefined
}
