import { operations, Problem } from '@tapdeck/api'
import type { Context } from 'hono'
import { demand } from '../access/access.ts'
import type { AuditLog } from '../access/audit-log.ts'
import type { Caller } from '../access/caller.ts'
import { demandOwnPage, demandSameOrigin } from '../access/same-origin.ts'
import { demandWhole } from '../access/scope.ts'
import { handlers } from '../operations/handlers.ts'
import type { Asked, Parts } from '../operations/parts.ts'
import { addressOf } from './address-of.ts'
import type { QueryGate } from './query-gate.ts'
import { check, gather, readBody, steadyBody } from './read-input.ts'
import type { Route } from './routes.ts'
import { unknownParameters, warningHeader } from './unknown-parameters.ts'
import { whileHolding } from './while-holding.ts'

export interface ServeOptions {
  readonly parts: Parts
  readonly audit: AuditLog
  readonly gate: QueryGate
}

/**
 * An operation at one of its addresses: who asks, whether he may, what he asks, and what comes of it. Every door leads
 * through here, the tools of the MCP endpoint too.
 */
export async function serveOperation(
  context: Context,
  route: Route,
  options: ServeOptions,
): Promise<Response> {
  const { parts, audit } = options
  const { scope, changes } = operations[route.operation]
  const started = performance.now()
  const from = addressOf(context)
  const caller = await parts.access.resolve(context.req.raw.headers, from)
  const noted: Noted = {}
  const note = (status: number) => {
    if (scope === 'none' && !changes) return
    const { name: who, role, kind } = caller
    const at = new Date(parts.now()).toISOString()
    const ms = Math.round(performance.now() - started)
    audit.add({ at, who, role, kind, from, door: route.door, what: route.operation, status, ...noted, ms })
  }
  try {
    const response = await answer(context, route, caller, options, noted)
    note(response.status)
    return response
  } catch (error) {
    note(
      error instanceof Problem
        ? error.status
        : error instanceof Error && error.name === 'KflError'
          ? 400
          : 500,
    )
    throw error
  }
}

/** What the audit log is told besides. */
interface Noted {
  input?: Readonly<Record<string, unknown>>
  rows?: number
}

async function answer(
  context: Context,
  route: Route,
  caller: Caller,
  { parts, gate }: ServeOptions,
  noted: Noted,
): Promise<Response> {
  const request = context.req.raw
  const operation = operations[route.operation]
  const needed = route.door === 'mcp' ? (['mcp:use'] as const) : []
  const { capability } = operation
  if (typeof capability !== 'function') demand(caller, capability ? [...needed, capability] : needed)
  else demand(caller, needed)
  if (operation.scope === 'refused') demandWhole(caller)
  if (route.method !== 'GET') demandOwn(caller, request.headers)
  if (route.door === 'mcp') parts.switchboard.assistant()

  const given = await readInput(context, route)
  const input = check(operation.input, given)
  const warnings = unknownParameters(route.operation, Object.keys(given))
  noted.input = input as Readonly<Record<string, unknown>>
  if (typeof capability === 'function') demand(caller, [capability(input as never)])
  const asked: Asked = {
    caller,
    door: route.door,
    headers: request.headers,
    signal: request.signal,
    ...(operation.bytes === 'request' && request.body && { bytes: steadyBody(request.body) }),
  }
  const handle = handlers[route.operation] as (input: unknown, parts: Parts, asked: Asked) => unknown
  const work = async () => handle(input, parts, asked)
  const output = await (operation.scope === 'none' ? work() : gate.run(caller.key, work))
  if (output instanceof Response) return whileHolding(output, caller, parts.access)
  noted.rows = rowsOf(output)
  return Response.json(warnings.length > 0 ? { ...(output as object), warnings } : output, {
    status: operation.status ?? 200,
    headers: { 'cache-control': 'no-store', ...warningHeader(warnings) },
  })
}

/** What changes something comes from our own page, or from no page at all. */
export function demandOwn(caller: Caller, headers: Headers): void {
  if (caller.cookie) demandOwnPage(headers)
  else demandSameOrigin(headers.get('origin'), headers.get('host'))
}

/** The things in the first list of an answer. */
function rowsOf(output: unknown): number {
  if (typeof output !== 'object' || output === null) return 0
  const list = Object.values(output).find((value) => Array.isArray(value))
  return list?.length ?? 1
}

async function readInput(
  context: Context,
  { operation: name, method }: Route,
): Promise<Record<string, unknown>> {
  const operation = operations[name]
  const query = new URL(context.req.url).searchParams
  const takesBody =
    method !== 'GET' && method !== 'DELETE' && operation.bytes !== 'request' && !takesNothing(operation.input)
  return gather(context.req.param(), query, takesBody ? await readBody(context.req.raw) : {})
}

/** A body that comes with an operation without input is ignored, whatever it is. */
function takesNothing(input: unknown): boolean {
  return Object.keys((input as { shape?: object }).shape ?? { unknown: true }).length === 0
}
