import { type Method, Problem } from '@tapdeck/api'
import { type Context, Hono } from 'hono'
import { type Access, demand } from '../access/access.ts'
import { demandWhole } from '../access/scope.ts'
import type { Log } from '../log.ts'
import type { McpEndpoint } from '../mcp/mcp-endpoint.ts'
import { version } from '../version.ts'
import { addressOf } from './address-of.ts'
import { discovery } from './discovery.ts'
import type { Hosts } from './hosts.ts'
import type { Page } from './page.ts'
import { problemResponse, toProblem } from './problem-response.ts'
import { pattern, type Route, routes } from './routes.ts'
import { demandOwn, type ServeOptions, serveOperation } from './serve-operation.ts'
import { whileHolding } from './while-holding.ts'

export interface AppOptions extends ServeOptions {
  readonly log: Log
  readonly hosts: Hosts
  /** The port speaks TLS: browsers are told to come by nothing else. */
  readonly secure: boolean
  readonly pages: readonly Page[]
  /** The protocol endpoint at `/mcp`, beside the operations below it. */
  readonly mcp: McpEndpoint
  /** Answers what nothing else does: the dashboard. Undefined: not found. */
  readonly otherwise: (path: string, request: Request) => Response | undefined
}

/** All doors: each operation at each of its addresses, and the pages. Needs no socket. */
export function createApp(options: AppOptions): Hono {
  const { parts, log, hosts, pages, mcp, otherwise } = options
  const app = new Hono()
  app.use(async (context, next) => {
    hosts.check(context.req.header('host'))
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
      return bodyless(context, servePage(context, page, parts.access))
    })
  /** All of `/mcp` is for those who may use it: others do not learn either what is not there. */
  const refuse = async (context: Context, problem: Problem): Promise<Response> => {
    if (context.req.path.startsWith('/mcp/'))
      demand(await parts.access.resolve(context.req.raw.headers, addressOf(context)), ['mcp:use'])
    return problemResponse(problem)
  }
  const surface = discovery()
  app.all('/mcp', async (context) => {
    const { raw, method } = context.req
    const caller = await parts.access.resolve(raw.headers, addressOf(context))
    demand(caller, ['mcp:use'])
    if (meant(method) === 'GET' && !raw.headers.get('accept')?.includes('text/event-stream'))
      return Response.json(surface)
    if (!['GET', 'POST', 'DELETE'].includes(method)) throw notAllowed(method, ['GET', 'POST', 'DELETE'])
    demandOwn(caller, raw.headers)
    parts.switchboard.assistant()
    return whileHolding(await mcp.handle(raw, caller.key), caller, parts.access)
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

async function servePage(context: Context, page: Page, access: Access): Promise<Response> {
  const from = addressOf(context)
  if (page.guard === 'open') return page.answer(context.req.raw, { caller: undefined, from })
  const caller = await access.resolve(context.req.raw.headers, from)
  demand(caller, page.guard.needs)
  demandWhole(caller)
  return page.answer(context.req.raw, { caller, from })
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
  return new Problem(405, 'method_not_allowed', `${method.slice(0, 20)} is not possible here`, { allow: all })
}

function unknownRoute(path: string): Problem {
  return new Problem(404, 'unknown_route', `there is nothing at ${path.slice(0, 200)}`, {
    hint: 'GET /mcp and GET /openapi.json list what there is.',
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
