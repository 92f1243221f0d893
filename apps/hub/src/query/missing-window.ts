import type { shapes } from '@tapdeck/api'
import { outside } from '@tapdeck/recording'
import type { z } from 'zod'
import type { NodeGap } from '../cluster/coverage.ts'

type WhyEmpty = z.input<typeof shapes.whyEmpty>

export interface AskedWindow {
  readonly start?: number | undefined
  readonly end?: number | undefined
}

/** Says that a window is empty because no node has anything of it; undefined where one of them has. */
export function missingWindow(
  gaps: readonly NodeGap[],
  nodes: readonly string[],
  { start, end }: AskedWindow,
  now: number,
): WhyEmpty | undefined {
  if (start === undefined || nodes.length === 0) return undefined
  const window = { from: start, to: Math.min(end ?? now, now) }
  if (window.from >= window.to) return undefined
  const isMissing = (of: readonly NodeGap[]) =>
    nodes.every((name) => {
      const own = of.filter(({ node }) => node === name).sort((a, b) => a.from - b.from)
      return outside(window, own).length === 0
    })
  if (!isMissing(gaps)) return undefined
  const never = isMissing(gaps.filter(({ kind }) => kind === 'not_recorded'))
  const reasons = [...new Set(gaps.map(({ node, detail }) => `${node}: ${detail}`))]
  return never
    ? { reason: 'not_recorded', detail: `Nothing was recorded in this window. ${reasons.join('; ')}.` }
    : {
        reason: 'not_indexed',
        detail: `Nothing was indexed in this window. ${reasons.join('; ')}. Query with db=recording, or take a snapshot and dissect it.`,
      }
}

/** What an answer about a window adds, where only some of it is missing. */
export function missingPart(gaps: readonly NodeGap[]): string {
  if (gaps.length === 0) return ''
  return ` At some times in this window nothing was recorded or indexed: see \`incomplete\`.`
}
