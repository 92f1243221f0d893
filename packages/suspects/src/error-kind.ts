import type { FindingKind } from './finding.ts'

/** Statuses and messages by which a server says that the request was wrong, not the server. 408, 429 and 499 cost the caller an answer. */
const CLIENT_ERROR =
  /^((HTTP )?4(?!08|29|99)\d\d|NOT_FOUND|INVALID_ARGUMENT|PERMISSION_DENIED|UNAUTHENTICATED|ALREADY_EXISTS|NXDOMAIN)|duplicate (key|entry)|violates \w+ constraint|constraint failed/i
const CONNECTION = /refused|reset|cut off|closed/i

/** Numbers and quoted texts in an error are of one call; what stays is its kind. */
export function errorTemplate(error: string): string {
  // A status is a kind, whatever text comes with it.
  const status = /^\d{3}\b/.exec(error)?.[0] ?? ''
  const text = error.slice(status.length, 200).replace(/"[^"]*"|'[^']*'|`[^`]*`/g, '…')
  return status + text.replace(/\d+/g, 'N')
}

/** A client that ends the connection has given up; a server that does has refused the request. */
export function kindOfError(proto: string, error: string, connectionEnd?: string): FindingKind {
  if (proto === 'dns') return 'dns_failing'
  if (proto === 'tls') return 'tls_failing'
  if (error === 'no_response')
    return connectionEnd?.endsWith('_by_server') ? 'connection_failed' : 'unanswered'
  return CONNECTION.test(error) ? 'connection_failed' : 'failing'
}

export function isClientError(error: string): boolean {
  return CLIENT_ERROR.test(error)
}
