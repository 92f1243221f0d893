import type { CompactCall } from '../../client/call-details.ts'
import type { ReadValue } from '../../columns/column.ts'

/** Headers by which calls of one request can be found, as `explain_call` does, and the part that they share. */
const HEADERS = ['traceparent', 'x-request-id', 'x-b3-traceid', 'x-correlation-id'] as const
const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-/
/** Shorter ones may be numbers that calls share by chance. */
const MIN_CHARS = 8

/** What has to be known of a call besides its row, to group it by trace. The hub chooses names of headers exactly. */
export const tracePaths: readonly string[] = HEADERS.flatMap((name) => [
  `request.headers.${name}`,
  `request.headers.${name.replace(/(^|-)[a-z]/g, (letters) => letters.toUpperCase())}`,
])

export function connectionOf({ id }: Pick<CompactCall, 'id'>): string {
  return id.slice(0, id.lastIndexOf('/'))
}

export function traceOf({ id }: Pick<CompactCall, 'id'>, readValue: ReadValue): string | undefined {
  for (const name of HEADERS) {
    const value = readValue(id, `request.headers.${name}`)
    const text = Array.isArray(value) ? String(value[0]) : String(value ?? '')
    if (name === 'traceparent') {
      const [, trace] = TRACEPARENT.exec(text) ?? []
      if (trace !== undefined) return trace
    } else if (text.length >= MIN_CHARS) return text
  }
  return undefined
}
