import { type Operation, operations } from '@tapdeck/api'
import type { VisibleCall } from '@tapdeck/questions'
import type { Context } from 'hono'
import { requireCapability } from '../access/access.ts'
import type { AuditLog } from '../access/audit-log.ts'
import type { Caller } from '../access/caller.ts'
import { noteRefused } from '../access/note-refused.ts'
import { requireDashboardOrigin, requireMatchingOrigin } from '../access/same-origin.ts'
import { requireUnscoped } from '../access/scope.ts'
import { check, gather, queryOf, readBody, withBodyTimeout } from '../input/read-input.ts'
import type { Log } from '../log.ts'
import { handlers } from '../operations/handlers.ts'
import type { HubServices } from '../operations/hub-services.ts'
import type { RequestContext } from '../operations/request-context.ts'
import { withheldFrom } from '../query/kept-filters.ts'
import { abortOnRevocation } from './abort-on-revocation.ts'
import { addressOf } from './address-of.ts'
import { toProblem } from './problem-response.ts'
import { progressOf } from './progress-of.ts'
import type { QueryGate } from './query-gate.ts'
import { parametersIn, type Route } from './routes.ts'
import { unknownParameters, warningHeader } from './unknown-parameters.ts'

export interface ServeOptions {
  readonly services: HubServices
  readonly audit: AuditLog
  readonly gate: QueryGate
  readonly log: Log
}

/**
 * An operation at one of its addresses: authenticates the caller, checks capability and input, and answers. Every interface leads
 * through here, the tools of the MCP endpoint too.
 */
export async function serveOperation(
  context: Context,
  route: Route,
  options: ServeOptions,
): Promise<Response> {
  const { services, audit, log } = options
  const { scope, changes } = operations[route.operation]
  const started = performance.now()
  const from = addressOf(context)
  const at = new Date(services.now()).toISOString()
  const attempt = { at, from, door: route.interface, what: route.operation }
  const caller = await services.access.resolve(context.req.raw.headers, from).catch((error: unknown) => {
    throw noteRefused(audit, attempt, error)
  })
  const noted: Noted = {}
  const note = (status: number) => {
    if (scope === 'none' && !changes) return
    const { name: who, role, kind } = caller
    const ms = Math.round(performance.now() - started)
    audit.add({ ...attempt, who, role, kind, status, ...noted, ms })
  }
  try {
    const response = await answer(context, route, caller, options, noted)
    note(response.status)
    return response
  } catch (error) {
    // Mapped here, so that the audit log has the status that the caller gets.
    const problem = toProblem(error, log)
    note(problem.status)
    throw problem
  }
}

/** What the audit line has besides. */
interface Noted {
  input?: Readonly<Record<string, unknown>>
  rows?: number
  decrypted?: number
}

async function answer(
  context: Context,
  route: Route,
  caller: Caller,
  { services, gate }: ServeOptions,
  noted: Noted,
): Promise<Response> {
  const request = context.req.raw
  const operation: Operation = operations[route.operation]
  const needed = route.interface === 'mcp' ? (['mcp:use'] as const) : []
  const { capability, alsoNeeds = [] } = operation
  if (typeof capability !== 'function')
    requireCapability(caller, [...needed, ...(capability ? [capability] : []), ...alsoNeeds])
  else requireCapability(caller, needed)
  if (operation.scope === 'refused') requireUnscoped(caller)
  if (route.method !== 'GET') requireSameOrigin(caller, request.headers)
  if (route.interface === 'mcp') services.switchboard.assistant()

  const given = await readInput(context, route)
  const input = check(operation.input, given)
  const warnings = unknownParameters(route.operation, Object.keys(given))
  noted.input = input as Readonly<Record<string, unknown>>
  if (typeof capability === 'function') requireCapability(caller, [capability(input as never)])
  const requestContext: RequestContext = {
    caller,
    interface: route.interface,
    headers: request.headers,
    signal: request.signal,
    ...progressOf(context),
    ...(operation.bytes === 'request' && request.body && { bytes: withBodyTimeout(request.body) }),
  }
  const handle = handlers[route.operation] as (
    input: unknown,
    services: HubServices,
    context: RequestContext,
  ) => unknown
  const work = async () => handle(input, services, requestContext)
  const answered = await (operation.scope === 'none' || operation.waits ? work() : gate.run(caller.key, work))
  if (answered instanceof Response) return abortOnRevocation(answered, caller, services.access)
  const output = withheldFrom(route.operation, answered, caller, services)
  noted.rows = rowsOf(output)
  const decrypted = decryptedIn(output)
  if (decrypted > 0) noted.decrypted = decrypted
  return Response.json(warnings.length > 0 ? { ...(output as object), warnings } : output, {
    status: operation.status ?? 200,
    headers: { 'cache-control': 'no-store', ...warningHeader(warnings) },
  })
}

/** What changes something comes from our own page, or from no page at all. */
export function requireSameOrigin(caller: Caller, headers: Headers): void {
  if (caller.cookie) requireDashboardOrigin(headers)
  else requireMatchingOrigin(headers.get('origin'), headers.get('host'))
}

/** The things in the first list of an answer. */
function rowsOf(output: unknown): number {
  if (typeof output !== 'object' || output === null) return 0
  const list = Object.values(output).find((value) => Array.isArray(value))
  return list?.length ?? 1
}

/** Decrypted calls in an answer. */
function decryptedIn(output: unknown): number {
  if (typeof output !== 'object' || output === null) return 0
  // Of an explanation: the call itself, and those that it is related to.
  const { calls = [], caused = [], caused_by } = output as Readonly<Record<string, unknown>>
  return [output, calls, caused, caused_by]
    .flat()
    .filter((call) => (call as VisibleCall | undefined)?.decrypted === true).length
}

async function readInput(
  context: Context,
  { operation: name, method, path }: Route,
): Promise<Record<string, unknown>> {
  const operation = operations[name]
  const query = queryOf(context.req.url)
  const takesBody =
    method !== 'GET' && method !== 'DELETE' && operation.bytes !== 'request' && !takesNothing(operation.input)
  return gather(
    parametersIn(path, context.req.param()),
    query,
    takesBody ? await readBody(context.req.raw) : {},
  )
}

/** A body that comes with an operation without input is ignored, whatever it is. */
function takesNothing(input: unknown): boolean {
  return Object.keys((input as { shape?: object }).shape ?? { unknown: true }).length === 0
}
