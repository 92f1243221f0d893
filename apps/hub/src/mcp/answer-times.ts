/** Beyond this no date can be written (ECMA-262, 21.4.1.1). */
const LAST_MS = 8.64e15

/** The same answer with each time also as RFC 3339 in UTC: `ts` gets `at`, `start_ts` gets `start_at`. */
export function withTimes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withTimes)
  if (typeof value !== 'object' || value === null) return value
  const answer: Record<string, unknown> = {}
  for (const [key, member] of Object.entries(value)) {
    answer[key] = withTimes(member)
    const name = key === 'ts' ? 'at' : key.endsWith('_ts') ? `${key.slice(0, -3)}_at` : undefined
    if (name === undefined || typeof member !== 'number' || Math.abs(member) > LAST_MS || name in value)
      continue
    answer[name] = new Date(member).toISOString()
  }
  return answer
}
