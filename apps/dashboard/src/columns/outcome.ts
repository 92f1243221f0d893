import type { CompactCall } from '../client/call-details.ts'

export interface Outcome {
  readonly text: string
  readonly kind: 'good' | 'moved' | 'bad' | 'unknown'
}

/** The error of a call that was still open when the observation ended; it did not fail. */
const UNFINISHED = 'unfinished'

/** The result of a call: the status of the protocol, and whether a user would call it a failure. */
export function outcomeOf(call: Pick<CompactCall, 'status' | 'error' | 'proto'>): Outcome {
  const text = call.status !== undefined ? String(call.status) : (call.error?.replaceAll('_', ' ') ?? '')
  if (call.error === UNFINISHED) return { text, kind: 'unknown' }
  if (call.error) return { text, kind: 'bad' }
  if (call.status === undefined) return { text, kind: 'unknown' }
  const isRedirect = typeof call.status === 'number' && call.status >= 300 && call.status < 400
  if (isRedirect || call.status === 101) return { text, kind: 'moved' }
  return { text, kind: 'good' }
}
