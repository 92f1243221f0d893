export interface Payload {
  readonly kind: 'json' | 'text' | 'binary'
  readonly text: string
}

/** How a body is best read: JSON laid out, text as it is, anything else as a hex dump. */
export function readPayload(body: string, encoding: string | undefined): Payload {
  if (encoding === 'base64') return { kind: 'binary', text: hexDump(fromBase64(body)) }
  const first = body.trimStart()[0]
  if (first === '{' || first === '[') {
    try {
      return { kind: 'json', text: JSON.stringify(JSON.parse(body), undefined, 2) }
    } catch {
      return { kind: 'text', text: body }
    }
  }
  return { kind: 'text', text: body }
}

const mostDumped = 4096

/** Offset, sixteen bytes, and their printable characters a line; long payloads end with a note. */
export function hexDump(bytes: Uint8Array): string {
  const lines: string[] = []
  for (let offset = 0; offset < Math.min(bytes.length, mostDumped); offset += 16) {
    const row = bytes.slice(offset, Math.min(offset + 16, mostDumped))
    const hex = Array.from(row, (byte) => byte.toString(16).padStart(2, '0'))
    const text = Array.from(row, (byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '.'))
    lines.push(`${offset.toString(16).padStart(6, '0')}  ${hex.join(' ').padEnd(47)}  ${text.join('')}`)
  }
  if (bytes.length > mostDumped) lines.push(`… ${bytes.length - mostDumped} more bytes`)
  return lines.join('\n')
}

function fromBase64(text: string): Uint8Array {
  try {
    return Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
  } catch {
    return new TextEncoder().encode(text)
  }
}
