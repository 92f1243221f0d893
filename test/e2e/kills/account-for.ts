import type { Sent } from './numbered-traffic.ts'

export interface Gap {
  readonly from: number
  readonly to: number
}

export interface Account {
  readonly sent: number
  readonly found: number
  /** Not found, and made while nothing was recorded or indexed, as was reported. */
  readonly inGaps: number
  /** Found all the same: at the edges of gaps. */
  readonly foundInGaps: number
  readonly unexplained: readonly Sent[]
  readonly twice: readonly number[]
}

/** Where every request is: found, or inside a gap that was reported, or neither. */
export function accountFor(sent: readonly Sent[], found: readonly number[], gaps: readonly Gap[]): Account {
  const there = new Set(found)
  const missing = sent.filter(({ number }) => !there.has(number))
  const isInGap = ({ from, to }: Sent) => gaps.some((gap) => from <= gap.to && to >= gap.from)
  const counts = new Map<number, number>()
  for (const number of found) counts.set(number, (counts.get(number) ?? 0) + 1)
  return {
    sent: sent.length,
    found: sent.length - missing.length,
    inGaps: missing.filter(isInGap).length,
    foundInGaps: sent.filter((request) => there.has(request.number) && isInGap(request)).length,
    unexplained: missing.filter((request) => !isInGap(request)),
    twice: [...counts].filter(([, count]) => count > 1).map(([number]) => number),
  }
}
