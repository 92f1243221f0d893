const MASKED = /masked(?:-[0-9a-f]{12}|$)/

/** Whether a message shows the hash of a credential in place of its value. */
export function hasMasked(message: unknown): boolean {
  if (typeof message === 'string') return MASKED.test(message)
  if (typeof message !== 'object' || message === null) return false
  return Object.values(message).some(hasMasked)
}
