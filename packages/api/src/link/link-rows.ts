import { isCall } from '@tapdeck/questions'
import { isObject, isOptional, isTime, isWritable, type Row, row } from '@tapdeck/questions/message-values'

export const eventRow = row<{ readonly ts: number }>('an event', isEvent)

const TRACE_ID = /^[0-9a-f]{32}$/
const SPAN_ID = /^[0-9a-f]{16}$/

/** A call, and the trace that it belongs to. */
export function isLiveCall(row: unknown): boolean {
  if (!isCall(row)) return false
  const { trace } = row as Row
  if (trace === undefined) return true
  return (
    isObject(trace) &&
    typeof trace.trace_id === 'string' &&
    TRACE_ID.test(trace.trace_id) &&
    typeof trace.span_id === 'string' &&
    SPAN_ID.test(trace.span_id) &&
    typeof trace.sampled === 'boolean'
  )
}

function isEvent(row: unknown): boolean {
  return (
    isObject(row) &&
    isTime(row.ts) &&
    row.kind === 'os' &&
    typeof row.type === 'string' &&
    isOptional(row.node, 'string') &&
    isWritable(row)
  )
}
