const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const

/** `812 B`, `4.2 KiB`, `1.3 GiB`: powers of 1024, the units that sizes are configured in. */
export function formatBytes(bytes: number): string {
  let amount = bytes
  let unit = 0
  while (amount >= 1000 && unit < UNITS.length - 1) {
    amount /= 1024
    unit++
  }
  return `${unit === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${UNITS[unit]}`
}
