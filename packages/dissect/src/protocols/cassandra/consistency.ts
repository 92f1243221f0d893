/** Levels by number: [consistency] in §3. */
const NAMES: readonly string[] = [
  'ANY',
  'ONE',
  'TWO',
  'THREE',
  'QUORUM',
  'ALL',
  'LOCAL_QUORUM',
  'EACH_QUORUM',
  'SERIAL',
  'LOCAL_SERIAL',
  'LOCAL_ONE',
]

export function consistencyName(level: number): string {
  return NAMES[level] ?? `level ${level}`
}
