import type { CompactCall } from '../client/call-details.ts'

export interface Outcome {
  readonly text: string
  readonly kind: 'good' | 'moved' | 'bad' | 'unknown'
}

/** How a call ended: what the protocol said, and whether a user would call it a failure. */
export function outcomeOf(call: Pick<CompactCall, 'status' | 'error' | 'proto'>): Outcome {
  const text = call.status !== undefined ? String(call.status) : (call.error?.replaceAll('_', ' ') ?? '')
  if (call.error) return { text, kind: 'bad' }
  if (call.status === undefined) return { text, kind: 'unknown' }
  const isRedirect = typeof call.status === 'number' && call.status >= 300 && call.status < 400
  if (isRedirect || call.status === 101) return { text, kind: 'moved' }
  return { text, kind: 'good' }
}
