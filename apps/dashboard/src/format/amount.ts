const grouped = new Intl.NumberFormat('en', { maximumFractionDigits: 0 })

/** `12,345` */
export function count(value: number): string {
  return grouped.format(value)
}

/** `1 call`, `2 calls` */
export function countOf(value: number, noun: string): string {
  return `${count(value)} ${noun}${value === 1 ? '' : 's'}`
}

/** A rate a second with as many digits as can be believed. */
export function rate(value: number): string {
  return value > 0 && value < 10 ? value.toFixed(1) : count(value)
}
