/** Why the client of Kubernetes failed, in the words of the API server if it answered. */
export function apiReason(error: unknown): string {
  const { body, message, cause } = (error ?? {}) as { body?: unknown; message?: unknown; cause?: unknown }
  if (typeof body === 'string') {
    try {
      const { message: reason } = JSON.parse(body) as { message?: unknown }
      if (typeof reason === 'string') return reason
    } catch {
      // The message below says it.
    }
  }
  const reason = cause instanceof Error ? `: ${cause.message}` : ''
  return `${typeof message === 'string' ? message : String(error)}${reason}`
}
