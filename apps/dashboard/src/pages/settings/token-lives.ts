const dayMs = 86_400_000
const lives = [
  { name: '1d', ms: dayMs },
  { name: '30d', ms: 30 * dayMs },
  { name: '90d', ms: 90 * dayMs },
  { name: '365d', ms: 365 * dayMs },
  { name: 'never', ms: Number.POSITIVE_INFINITY },
]

/**
 * How long a new token may last, shortest first: the hub refuses one that outlives the token of its maker, which ends
 * at `ownEnd`. The shortest is always there, so that the hub can say why where none is possible.
 */
export function tokenLives(ownEnd: string | null | undefined, now: number): readonly string[] {
  const left = ownEnd ? Date.parse(ownEnd) - now : Number.POSITIVE_INFINITY
  return lives.filter(({ ms }, at) => at === 0 || ms <= left).map(({ name }) => name)
}
