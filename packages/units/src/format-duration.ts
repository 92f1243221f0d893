const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
] as const

/** Milliseconds → `1h30m`, the notation that durations are given in. Below a second: `250ms`. */
export function formatDuration(ms: number): string {
  let rest = Math.max(0, Math.round(ms))
  if (rest < 1000) return rest === 0 ? '0s' : `${rest}ms`
  rest = Math.round(rest / 1000) * 1000
  let text = ''
  for (const [unit, size] of units) {
    const count = Math.floor(rest / size)
    rest -= count * size
    if (count > 0) text += `${count}${unit}`
  }
  return text
}
