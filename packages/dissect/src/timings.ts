import type { Call } from './call.ts'

/** The whole exchange as the client sees it, in milliseconds. */
export function latencyOf({ request, response }: Pick<Call, 'request' | 'response'>): number | undefined {
  if (request?.kind !== 'request' || response === undefined) return undefined
  const { start } = request
  const { end } = response
  return start === undefined || end === undefined ? undefined : Math.max(0, end - start) / 1000
}

/** The time that the server took to begin its answer, in milliseconds. */
export function firstByteOf({ request, response }: Pick<Call, 'request' | 'response'>): number | undefined {
  if (request?.kind !== 'request' || response === undefined) return undefined
  const { end } = request
  const { start } = response
  return start === undefined || end === undefined ? undefined : Math.max(0, start - end) / 1000
}
