import type { FindingKind } from './finding.ts'

/** Statuses by which a server says that the request was wrong, not the server. */
const CLIENT_ERROR =
  /^(4\d\d|NOT_FOUND|INVALID_ARGUMENT|PERMISSION_DENIED|UNAUTHENTICATED|ALREADY_EXISTS|HTTP 4\d\d)/i
const CONNECTION = /refused|reset|cut off|closed/i

/** Numbers and quoted texts in an error are of one call; what stays is its kind. */
export function errorTemplate(error: string): string {
  if (/^\d{3}$/.test(error)) return error
  return error
    .slice(0, 200)
    .replace(/"[^"]*"|'[^']*'|`[^`]*`/g, '…')
    .replace(/\d+/g, 'N')
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
