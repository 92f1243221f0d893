import type { Catalog } from '@tapdeck/kfl'
import { chosenFields, fieldNames } from './chosen-fields.ts'

/** What the compact form of a call has; of its ends, what `named` keeps. */
const COMPACT: ReadonlySet<string> = new Set(
  'id ts proto method path status latency_ms error connection_end delivery decrypted'.split(' '),
)
const COMPACT_END = /^(src|dst)\.(ip|port|pod|ns|svc|node)$/
/** What calls have besides the fields of filters. */
const BESIDES =
  'id ts src dst proto method path status latency_ms error connection_end delivery decrypted request response tcp flow timeline events both_ends conn_id flow_id node_id req_headers resp_headers req_body resp_body req_size resp_size'.split(
    ' ',
  )

/** Whether fields are chosen that only the full form of a call has. */
export function needsFullCalls(fields: string | undefined): boolean {
  return (fieldNames(fields) ?? []).some(
    (name) => !COMPACT.has(name) && name !== 'src' && name !== 'dst' && !COMPACT_END.test(name),
  )
}

/** The chosen fields of calls, and always their ids. */
export function chosenCallFields<Call extends object>(
  calls: readonly Call[],
  fields: string | undefined,
  catalog: Catalog,
): Call[] {
  if (fieldNames(fields) === undefined) return [...calls]
  const known = [...BESIDES, ...catalog.fields.map(({ path }) => path.split(/[.[]/)[0] ?? '')]
  return chosenFields(calls, `id,${fields}`, known)
}

/** The same call with its bodies from a character on: a long body is read page by page. */
export function withBodiesFrom<Call extends Readonly<Record<string, unknown>>>(
  call: Call,
  offset: number,
): Call {
  if (offset === 0) return call
  return {
    ...call,
    ...(call.request !== undefined && { request: bodyFrom(call.request, offset) }),
    ...(call.response !== undefined && { response: bodyFrom(call.response, offset) }),
  }
}

function bodyFrom(message: unknown, offset: number): unknown {
  if (typeof message !== 'object' || message === null || !('body' in message)) return message
  const { body } = message
  return typeof body === 'string' ? { ...message, body: body.slice(offset), body_offset: offset } : message
}
