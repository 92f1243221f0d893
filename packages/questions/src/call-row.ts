import { z } from 'zod'
import {
  isCount,
  isNamed,
  isObject,
  isOptional,
  isOptionalCount,
  isTime,
  isWritable,
  row,
} from './message-values.ts'

/** A call, compact or whole. */
export const callRow = row<unknown>('a call', isCall)
/** A call by itself may be absent, and is as large as its message allows. */
export const oneCall = z.unknown().refine((call) => call == null || isCall(call), 'this is not a call')

/** Whether it is a call, compact or whole. */
export function isCall(call: unknown): boolean {
  return (
    isObject(call) &&
    typeof call.id === 'string' &&
    isTime(call.ts) &&
    isEndpoint(call.src) &&
    isEndpoint(call.dst) &&
    typeof call.proto === 'string' &&
    isOptional(call.method, 'string') &&
    isOptional(call.path, 'string') &&
    isOptional(call.error, 'string') &&
    isOptional(call.connection_end, 'string') &&
    (call.delivery === undefined || call.delivery === 'unacknowledged') &&
    isOptional(call.decrypted, 'boolean') &&
    isOptionalCount(call.latency_ms) &&
    isOptionalCount(call.ttfb_ms) &&
    (call.status === undefined || typeof call.status === 'string' || typeof call.status === 'number') &&
    isWritable(call)
  )
}

function isEndpoint(end: unknown): boolean {
  return isObject(end) && typeof end.ip === 'string' && isCount(end.port) && isNamed(end)
}
