import { latin1 } from '../text/text.ts'

export type Headers = Record<string, string | string[]>

/** A head as text: first line and fields in order, with folded lines joined (RFC 9112 §5.2). */
export interface Head {
  readonly line: string
  readonly fields: readonly (readonly [name: string, value: string])[]
}

export function readHead(bytes: Uint8Array): Head {
  const text = latin1(bytes)
  const lines = isPlain(text) ? text.split('\r\n') : text.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)
  const [line = ''] = lines
  lines[0] = ''
  return { line, fields: readFields(lines) }
}

/** Every line ends in CR LF and none is folded. True for nearly all heads, and cheap to check. */
function isPlain(text: string): boolean {
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    if (text.charCodeAt(at - 1) !== 0x0d) return false
    const next = text.charCodeAt(at + 1)
    if (next === 0x20 || next === 0x09) return false
  }
  return true
}

export function readFields(lines: readonly string[]): Head['fields'] {
  const fields: [string, string][] = []
  for (const line of lines) {
    // HTTP/2 pseudo-header fields begin with the colon.
    const colon = line.indexOf(':', 1)
    if (colon > 0) fields.push([line.slice(0, colon).trim().toLowerCase(), line.slice(colon + 1).trim()])
  }
  return fields
}

/** By lower-case name. Repeated fields become one list (RFC 9110 §5.3), except those that cannot be joined. */
export function toHeaders(fields: Head['fields']): Headers {
  const headers: Headers = Object.create(null)
  for (const [name, value] of fields) {
    const before = headers[name]
    if (name === 'set-cookie') headers[name] = Array.isArray(before) ? [...before, value] : [value]
    else
      headers[name] =
        typeof before === 'string' ? `${before}${name === 'cookie' ? '; ' : ', '}${value}` : value
  }
  return headers
}

export function headerValue(head: Uint8Array, name: string): string | undefined {
  return readHead(head).fields.find(([given]) => given === name)?.[1]
}
