import type { CallDetails } from '../../client/call-details.ts'
import { shellWord } from './shell-word.ts'

/** Headers that curl makes itself, or that a second request must not repeat. */
const OWN = new Set(['host', 'content-length', 'connection', 'transfer-encoding', 'accept-encoding'])
/** RFC 9110, 5.6.2: without `@`, by which curl reads headers from a file, and without blanks. */
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/
/** Without a user part, which curl would send as credentials. */
const WEB_ADDRESS = /^https?:\/\/(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?(?=[/?]|$)/i
/** What curl refuses in a URL, or cuts off. */
const UNSENDABLE = /[^!-~]|#/gu
/** A dot segment, which curl removes by default. */
const DOTS = /\/\.{1,2}(?:[/?]|$)/

/**
 * The request of an HTTP call as a command; nothing where no command repeats it. All of a request was chosen by the client
 * that sent it, so each part of it is the value of an option and never an option or the name of a file.
 */
export function asCurl({
  proto,
  request,
  dst,
}: Pick<CallDetails, 'proto' | 'request' | 'dst'>): string | undefined {
  if (proto !== 'http' && proto !== 'graphql') return undefined
  if (request === undefined || (request.body && request.body_encoding === 'base64') || request.truncated)
    return undefined
  const { method, path, url, headers = {}, body } = request
  if (typeof method !== 'string' || !TOKEN.test(method)) return undefined
  const host = dst.ip.includes(':') ? `[${dst.ip}]` : dst.ip
  const target =
    typeof url === 'string' ? url : `http://${host}:${dst.port}${typeof path === 'string' ? path : '/'}`
  if (!WEB_ADDRESS.test(target) || body?.includes('\0')) return undefined
  // Without `--globoff`, `[1-9999]` in a path is that many requests.
  const options = `--globoff${DOTS.test(target) ? ' --path-as-is' : ''}`
  const lines = [`curl ${options} --request ${shellWord(method)} --url ${shellWord(sendable(target))}`]
  for (const [name, value] of Object.entries(headers)) {
    if (OWN.has(name.toLowerCase()) || name.startsWith(':')) continue
    for (const one of Array.isArray(value) ? value : [value]) {
      if (!TOKEN.test(name) || /[\0\r\n]/.test(one)) return undefined
      // `name:` would remove a header of curl's own; `name;` sends an empty one.
      lines.push(`--header ${shellWord(one.trim() === '' ? `${name};` : `${name}: ${one}`)}`)
    }
  }
  if (body) lines.push(`--data-raw ${shellWord(body)}`)
  return lines.join(' \\\n  ')
}

/** Heads are read as Latin-1: a character is a byte. */
function sendable(target: string): string {
  return target.replace(UNSENDABLE, (one) => {
    const code = one.codePointAt(0)!
    return code < 0x100 ? `%${code.toString(16).toUpperCase().padStart(2, '0')}` : encodeURIComponent(one)
  })
}
