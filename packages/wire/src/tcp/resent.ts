import type { Resent, Side } from '../flow.ts'

/** A flow, as far as this list reads it. */
interface SidedFlow {
  side(high: boolean): Side
}

/** Retransmissions of a flow that are listed one by one; later ones count for the last. */
const MAX_LISTED = 16

/** What was resent, of the flows that resent something: a member of each flow would make all of them larger. */
const lists = new WeakMap<SidedFlow, ResentByEnd[]>()

interface ResentByEnd {
  readonly high: boolean
  readonly sent: number
  readonly time: number
  count: number
}

/** An end sent bytes again at `time` that it had sent first at `sent`. */
export function addResent(flow: SidedFlow, high: boolean, sent: number, time: number): void {
  const list = lists.get(flow)
  if (list === undefined) lists.set(flow, [{ high, sent, time, count: 1 }])
  else if (list.length < MAX_LISTED) list.push({ high, sent, time, count: 1 })
  else {
    const last = list.findLast((one) => one.high === high)
    if (last !== undefined) last.count++
  }
}

export function resentOf(flow: SidedFlow): readonly Resent[] | undefined {
  return lists.get(flow)?.map(({ high, sent, time, count }) => ({ side: flow.side(high), sent, time, count }))
}
