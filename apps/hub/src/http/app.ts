import { type Method, Problem } from '@tapdeck/api'
import { type Context, Hono } from 'hono'
import { requireCapability } from '../access/access.ts'
import type { Caller } from '../access/caller.ts'
import { noteRefused } from '../access/note-refused.ts'
import { requireSameSite } from '../access/same-origin.ts'
import { requireUnscoped } from '../access/scope.ts'
import type { McpEndpoint } from '../mcp/mcp-endpoint.ts'
import { version } from '../version.ts'
import { abortOnRevocation } from './abort-on-revocation.ts'
import { addressOf } from './address-of.ts'
import { discovery } from './discovery.ts'
import type { Hosts } from './hosts.ts'
import type { Page } from './page.ts'
import { problemResponse, toProblem } from './problem-response.ts'
import { pattern, type Route, routes } from './routes.ts'
import { requireSameOrigin, type ServeOptions, serveOperation } from './serve-operation.ts'

export interface AppOptions extends ServeOptions {
  readonly hosts: Hosts
  /** The port speaks TLS: browsers are sent strict-transport-security. */
  readonly secure: boolean
  readonly pages: readonly Page[]
  /** The protocol endpoint at `/mcp`, beside the operations below it. */
  readonly mcp: McpEndpoint
  /** Answers what nothing else does: the dashboard. Undefined: not found. */
  readonly otherwise: (path: string, request: Request) => Response | undefined
}

/** All interfaces: each operation at each of its addresses, and the pages. Needs no socket. */
export function createApp(options: AppOptions): Hono {
  const { services, log, hosts, pages, mcp, otherwise } = options
  const app = new Hono()
  app.use(async (context, next) => {
    hosts.check(context.req.header('host'))
    requireSameSite(context.req.raw.headers)
    await next()
    const { headers } = context.res
    for (const [name, value] of Object.entries(commonHeaders))
      if (!headers.has(name)) headers.set(name, value)
    if (options.secure) headers.set('strict-transport-security', 'max-age=31536000')
  })
  for (const [path, byMethod] of groupByPath(routes))
    app.all(pattern(path), (context) => {
      const method = meant(context.req.method)
      const route = byMethod.get(method as Method)
      return bodyless(
        context,
        route
          ? serveOperation(context, route, options)
          : refuse(context, notAllowed(context.req.method, [...byMethod.keys()])),
      )
    })
  for (const page of pages)
    app.all(page.path, (context) => {
      if (meant(context.req.method) !== page.method) throw notAllowed(context.req.method, [page.method])
      return bodyless(context, servePage(context, page, options))
    })
  const mcpCaller = async (context: Context): Promise<Caller> => {
    const caller = await known(context, 'mcp', options)
    try {
      requireCapability(caller, ['mcp:use'])
    } catch (error) {
      note(context, 'mcp', caller, 403, options)
      throw error
    }
    return caller
  }
  /** All of `/mcp` is for those who may use it: others do not learn either what is not there. */
  const refuse = async (context: Context, problem: Problem): Promise<Response> => {
    if (context.req.path.startsWith('/mcp/')) await mcpCaller(context)
    return problemResponse(problem)
  }
  const surface = discovery()
  app.all('/mcp', async (context) => {
    const { raw, method } = context.req
    const caller = await mcpCaller(context)
    if (meant(method) === 'GET' && !raw.headers.get('accept')?.includes('text/event-stream'))
      return Response.json(surface)
    if (!['GET', 'POST', 'DELETE'].includes(method)) throw notAllowed(method, ['GET', 'POST', 'DELETE'])
    requireSameOrigin(caller, raw.headers)
    services.switchboard.assistant()
    return abortOnRevocation(await mcp.handle(raw, caller.key, addressOf(context)), caller, services.access)
  })
  app.notFound((context) => {
    const reading = meant(context.req.method) === 'GET'
    const answer = reading ? otherwise(context.req.path, context.req.raw) : undefined
    return bodyless(context, answer ?? refuse(context, unknownRoute(context.req.path)))
  })
  app.onError((error) => problemResponse(toProblem(error, log)))
  return app
}

/** No page of another site may read, frame or guess at what we answer. The dashboard's own policy is its own. */
const commonHeaders = {
  'tapdeck-version': version,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-resource-policy': 'same-origin',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
} as const

async function servePage(context: Context, page: Page, options: AppOptions): Promise<Response> {
  const from = addressOf(context)
  if (page.guard === 'open') return page.answer(context.req.raw, { caller: undefined, from })
  const caller = await known(context, 'page', options)
  try {
    requireCapability(caller, page.guard.needs)
    requireUnscoped(caller)
    const response = await page.answer(context.req.raw, { caller, from })
    note(context, 'page', caller, response.status, options)
    return response
  } catch (error) {
    note(context, 'page', caller, error instanceof Problem ? error.status : 500, options)
    throw error
  }
}

/** The caller, for what is not an operation. The audit log has a line where there is none. */
function known(context: Context, door: string, { services, audit }: AppOptions): Promise<Caller> {
  const from = addressOf(context)
  return services.access.resolve(context.req.raw.headers, from).catch((error: unknown) => {
    throw noteRefused(
      audit,
      { at: instant(services.now()), from, door, what: context.req.path.slice(0, 200) },
      error,
    )
  })
}

function note(context: Context, door: string, caller: Caller, status: number, options: AppOptions): void {
  const { name: who, role, kind } = caller
  const at = instant(options.services.now())
  const what = context.req.path.slice(0, 200)
  options.audit.add({ at, who, role, kind, from: addressOf(context), door, what, status })
}

function instant(time: number): string {
  return new Date(time).toISOString()
}

/** HEAD means GET without the body. */
function meant(method: string): string {
  return method === 'HEAD' ? 'GET' : method
}

async function bodyless(context: Context, answer: Response | Promise<Response>): Promise<Response> {
  const response = await answer
  if (context.req.method !== 'HEAD') return response
  await response.body?.cancel()
  return new Response(null, response)
}

function notAllowed(method: string, allow: readonly string[]): Problem {
  const all = allow.includes('GET') ? [...allow, 'HEAD'] : allow
  return new Problem(405, 'method_not_allowed', `Method ${method.slice(0, 20)} is not allowed`, {
    allow: all,
  })
}

function unknownRoute(path: string): Problem {
  return new Problem(404, 'unknown_route', `Unknown route: ${path.slice(0, 200)}`, {
    hint: 'GET /mcp and GET /openapi.json list the available operations.',
  })
}

function groupByPath(all: readonly Route[]): Map<string, Map<Method, Route>> {
  const paths = new Map<string, Map<Method, Route>>()
  for (const route of all) {
    const byMethod = paths.get(route.path) ?? new Map<Method, Route>()
    byMethod.set(route.method, route)
    paths.set(route.path, byMethod)
  }
  return paths
}
