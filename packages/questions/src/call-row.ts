import { z } from 'zod'
import {
  fields,
  isCount,
  isFlag,
  isOneOf,
  isText,
  isTime,
  isWritable,
  names,
  optional,
  row,
} from './message-values.ts'

const isEndpoint = fields({ ip: isText, port: isCount, ...names })
const hasFields = fields({
  id: isText,
  ts: isTime,
  src: isEndpoint,
  dst: isEndpoint,
  proto: isText,
  method: optional(isText),
  path: optional(isText),
  error: optional(isText),
  connection_end: optional(isText),
  delivery: optional(isOneOf('unacknowledged')),
  decrypted: optional(isFlag),
  latency_ms: optional(isCount),
  ttfb_ms: optional(isCount),
  status: (status) => status === undefined || typeof status === 'string' || typeof status === 'number',
})

/** Whether it is a call, compact or whole. */
export function isCall(call: unknown): boolean {
  return hasFields(call) && isWritable(call)
}

/** A call, compact or whole. */
export const callRow = row<unknown>('a call', hasFields)
/** A call by itself may be absent, and is as large as its message allows. */
export const oneCall = z.unknown().refine((call) => call == null || isCall(call), 'this is not a call')
