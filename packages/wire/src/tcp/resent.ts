import type { Resent } from '../flow.ts'
import type { FlowRecord } from '../flows/flow-record.ts'

/** Retransmissions of a flow that are listed one by one; later ones count for the last. */
const MAX_LISTED = 16

/** What was resent, of the flows that resent something: a member of each flow would make all of them larger. */
const lists = new WeakMap<FlowRecord, ResentByEnd[]>()

interface ResentByEnd {
  readonly high: boolean
  readonly sent: number
  readonly time: number
  count: number
}

/** An end sent bytes again at `time` that it had sent first at `sent`. */
export function addResent(flow: FlowRecord, high: boolean, sent: number, time: number): void {
  const list = lists.get(flow)
  if (list === undefined) lists.set(flow, [{ high, sent, time, count: 1 }])
  else if (list.length < MAX_LISTED) list.push({ high, sent, time, count: 1 })
  else {
    const last = list.findLast((one) => one.high === high)
    if (last !== undefined) last.count++
  }
}

export function resentOf(flow: FlowRecord): readonly Resent[] | undefined {
  return lists.get(flow)?.map(({ high, sent, time, count }) => ({ side: flow.side(high), sent, time, count }))
}
