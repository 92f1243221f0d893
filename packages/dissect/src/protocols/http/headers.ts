import { latin1 } from '../../text.ts'

export type Headers = Record<string, string | string[]>

/** A head as text: its first line and its fields, in order, folded lines joined (RFC 9112 §5.2). */
export interface Head {
  readonly line: string
  readonly fields: readonly (readonly [name: string, value: string])[]
}

export function readHead(bytes: Uint8Array): Head {
  const [line = '', ...rest] = latin1(bytes)
    .replace(/\r?\n[ \t]+/g, ' ')
    .split(/\r?\n/)
  return { line, fields: readFields(rest) }
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

/** By lower-case name; repeated fields as one list (RFC 9110 §5.3), except those that cannot be joined. */
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
