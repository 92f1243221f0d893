import type { shapes } from '@tapdeck/api'
import type { z } from 'zod'

/** A header by which calls of one request can be found, and the part of it that they share. */
export interface Trace {
  readonly header: string
  readonly value: string
}

const TRACEPARENT = /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-/
const OTHERS = ['x-request-id', 'x-b3-traceid', 'x-correlation-id'] as const
/** Shorter ones may be numbers that calls share by chance. */
const MIN_LENGTH = 8
const MAX_LENGTH = 200

export function traceOf(call: z.input<typeof shapes.call>): Trace | undefined {
  const { request } = call as { readonly request?: { readonly headers?: Readonly<Record<string, unknown>> } }
  const headers = new Map(
    Object.entries(request?.headers ?? {}).map(([name, value]) => [name.toLowerCase(), String(value)]),
  )
  const [, id] = TRACEPARENT.exec(headers.get('traceparent') ?? '') ?? []
  if (id !== undefined) return { header: 'traceparent', value: id }
  for (const header of OTHERS) {
    const value = headers.get(header)
    if (value !== undefined && value.length >= MIN_LENGTH && value.length <= MAX_LENGTH)
      return { header, value }
  }
  return undefined
}
