import type { CallDetails } from '../../client/call-details.ts'

/** Headers that curl makes itself, or that a second request must not repeat. */
const OWN = new Set(['host', 'content-length', 'connection', 'transfer-encoding', 'accept-encoding'])

/** The request of an HTTP call as a command; nothing where it is none, or its body is not text. */
export function asCurl({
  proto,
  request,
  dst,
}: Pick<CallDetails, 'proto' | 'request' | 'dst'>): string | undefined {
  if (proto !== 'http' && proto !== 'graphql') return undefined
  if (request === undefined || (request.body && request.body_encoding === 'base64') || request.truncated)
    return undefined
  const { method, path, url, headers = {}, body } = request
  if (typeof method !== 'string') return undefined
  const host = dst.ip.includes(':') ? `[${dst.ip}]` : dst.ip
  const target =
    typeof url === 'string' ? url : `http://${host}:${dst.port}${typeof path === 'string' ? path : '/'}`
  const lines = [`curl -X ${quoted(method)} ${quoted(target)}`]
  for (const [name, value] of Object.entries(headers))
    if (!OWN.has(name.toLowerCase()) && !name.startsWith(':'))
      for (const one of Array.isArray(value) ? value : [value]) lines.push(`-H ${quoted(`${name}: ${one}`)}`)
  if (body) lines.push(`--data-raw ${quoted(body)}`)
  return lines.join(' \\\n  ')
}

/** As one word of a shell, whatever is in it. */
function quoted(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
}
