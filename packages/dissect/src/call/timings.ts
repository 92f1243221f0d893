import type { Call } from '../contract/call.ts'

/** From the first byte of the request to the last of the response, in milliseconds. */
export function latencyOf({ request, response }: Pick<Call, 'request' | 'response'>): number | undefined {
  if (request?.kind !== 'request' || response === undefined) return undefined
  const { start } = request
  const { end } = response
  return start === undefined || end === undefined ? undefined : Math.max(0, end - start) / 1000
}

/** From the last byte of the request to the first of the response, in milliseconds. */
export function firstByteOf({ request, response }: Pick<Call, 'request' | 'response'>): number | undefined {
  if (request?.kind !== 'request' || response === undefined) return undefined
  const { end } = request
  const { start } = response
  return start === undefined || end === undefined ? undefined : Math.max(0, start - end) / 1000
}
