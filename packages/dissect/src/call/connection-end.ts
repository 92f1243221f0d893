import type { Call, ConnectionEnd } from '../contract/call.ts'

/** How the connection of a request without a response ended; undefined where it did not end, or has a response. */
export function connectionEndOf({ missing, flow, side }: Call): ConnectionEnd | undefined {
  if (missing !== 'no_response' || flow.closedBy === undefined) return undefined
  const { tcp } = flow
  const isServer = flow.closedBy === 1
  const fin = isServer ? tcp?.server_fin_us : tcp?.client_fin_us
  const reset = isServer ? tcp?.server_reset_us : tcp?.client_reset_us
  // A side that has closed answers what comes later with a reset: the FIN was the end.
  const isReset = reset !== undefined && (fin === undefined || reset < fin)
  return `${isReset ? 'reset' : 'closed'}_by_${flow.closedBy === side ? 'client' : 'server'}`
}
