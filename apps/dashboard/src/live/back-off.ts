const firstMs = 500
const mostMs = 15_000

/**
 * How long to wait before the next attempt, counted from 0. Doubles up to a ceiling; the random part (0 to 1) spreads
 * the dashboards of a restarted hub over time.
 */
export function backOff(attempt: number, random: number): number {
  const whole = Math.min(mostMs, firstMs * 2 ** Math.min(attempt, 16))
  return Math.round(whole * (0.6 + 0.4 * random))
}
