import { askMerged, type FlowRow } from '@tapdeck/questions'
import type { CallSource } from '../query/call-source.ts'
import { SourceSet } from '../query/source-set.ts'

/** Flows in which names are looked for that come close. */
const MAX_LOOKED_AT = 500
const MAX_PROPOSED = 5
const NARROWING = ['l4proto', 'ip', 'ns', 'pod', 'svc'] as const

export interface FlowQuestion
  extends Readonly<Partial<Record<(typeof NARROWING)[number], string | undefined>>> {
  readonly start?: number | undefined
  readonly end?: number | undefined
}

/** Why no flow was found: by which argument, or by the window. */
export async function whyNoFlows(question: FlowQuestion, sources: readonly CallSource[]): Promise<string> {
  const { start, end } = question
  const window = { ...(start !== undefined && { start }), ...(end !== undefined && { end }) }
  const asked = { ...window, order: 'packets', limit: MAX_LOOKED_AT } as const
  const { flows, total } = await askMerged(new SourceSet(sources), 'flows', asked)
  if (total === 0) return whyNothing(question, sources)
  const given = NARROWING.flatMap((name) => (question[name] === undefined ? [] : `${name}=${question[name]}`))
  if (given.length === 0) return 'None that this role may see.'
  const close = proposals(question, flows)
  const instead = close.length > 0 ? ` Names that begin alike: ${close.join(', ')}.` : ''
  return `No flow has ${given.join(' and ')}; the window has ${total} rows of flows without that.${instead}`
}

async function whyNothing({ start, end }: FlowQuestion, sources: readonly CallSource[]): Promise<string> {
  const { oldest_ts, newest_ts } = await askMerged(new SourceSet(sources), 'summary', {})
  if (oldest_ts === null || newest_ts === null)
    return 'No flows are indexed here. list_databases lists what can be asked (`db`).'
  const range = `${new Date(oldest_ts).toISOString()} to ${new Date(newest_ts).toISOString()}`
  const isOutside = (start !== undefined && start > newest_ts) || (end !== undefined && end < oldest_ts)
  return isOutside
    ? `The window is outside of what is indexed: ${range}.`
    : `No flow in the window; calls are indexed from ${range}.`
}

/** Names of peers that share the begin of a name that was asked for. */
function proposals({ pod, svc, ns }: FlowQuestion, flows: readonly FlowRow[]): string[] {
  const found = new Set<string>()
  for (const { client, server } of flows)
    for (const end of [client, server])
      for (const [asked, known] of [
        [pod, end.pod],
        [svc, end.svc],
        [ns, end.ns],
      ])
        if (asked !== undefined && known !== undefined && beginAlike(asked, known)) found.add(known)
  return [...found].sort().slice(0, MAX_PROPOSED)
}

/** `checkout` and `checkout-7d9f-x2`, but also `checkot` and `checkout`. */
function beginAlike(asked: string, known: string): boolean {
  const [a, b] = [asked.toLowerCase(), known.toLowerCase()]
  const length = Math.max(2, Math.floor(a.length / 2))
  return b.startsWith(a) || a.startsWith(b) || (a.length >= 2 && b.startsWith(a.slice(0, length)))
}
