import { isCall } from '@tapdeck/questions'
import { fields, isFlag, isOneOf, isText, isTime, optional, row } from '@tapdeck/questions/message-values'
import type { LiveCall } from './live-call.ts'

export const eventRow = row<{ readonly ts: number }>(
  'an event',
  fields({ ts: isTime, kind: isOneOf('os'), type: isText, node: optional(isText) }),
)

const isTraced = fields({
  trace: optional(
    fields({
      trace_id: (id): id is string => isText(id) && /^[0-9a-f]{32}$/.test(id),
      span_id: (id): id is string => isText(id) && /^[0-9a-f]{16}$/.test(id),
      sampled: isFlag,
    }),
  ),
})

/** A call, and the trace that it belongs to. */
export function isLiveCall(call: unknown): call is LiveCall {
  return isCall(call) && isTraced(call)
}
