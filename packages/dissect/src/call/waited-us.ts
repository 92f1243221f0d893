import type { Call } from '../contract/call.ts'

/**
 * How long the client waited for a response that never came, in microseconds: until its connection or stream ended, or until
 * the last packet of it that was seen. Right only when the call is handed over, because the flow goes on. Undefined for
 * other calls.
 */
export function waitedUs({ missing, request, flow }: Call): number | undefined {
  if (missing !== 'no_response' || request?.start === undefined) return undefined
  return Math.max(0, flow.last - request.start)
}
