/** `1.5 GB`: sizes for people, in powers of 1000. */
export function formatBytes(bytes: number): string {
  const units = ['B', 'kB', 'MB', 'GB', 'TB']
  let [value, unit] = [bytes, 0]
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000
    unit++
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`
}

/** `0.42 ms`, `12 ms`, `3.1 s`. */
export function formatMs(ms: number | undefined): string | undefined {
  if (ms === undefined) return undefined
  if (ms >= 1000) return `${(ms / 1000).toFixed(1)} s`
  return `${ms >= 10 ? Math.round(ms) : ms.toFixed(2)} ms`
}

/** `14:03:07.123`, in UTC as everywhere else. */
export function formatClock(ms: number): string {
  return new Date(ms).toISOString().slice(11, 23)
}
