const grouped = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })

/** `12,345` */
export function count(value: number): string {
  return grouped.format(value)
}

/** `1 call`, `2 calls` */
export function countOf(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`
}

/** `812 B`, `4.2 KiB`, `1.3 GiB` */
export function bytes(value: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']
  let amount = value
  let unit = 0
  while (amount >= 1000 && unit < units.length - 1) {
    amount /= 1024
    unit++
  }
  return `${unit === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${units[unit]}`
}

/** A rate a second with as many digits as can be believed. */
export function rate(value: number): string {
  return value > 0 && value < 10 ? value.toFixed(1) : count(value)
}
