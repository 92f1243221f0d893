import { type Method, operations, Problem } from '@tapdeck/api'
import { type Context, Hono } from 'hono'
import { demand } from '../access/access.ts'
import { demandSameOrigin } from '../access/same-origin.ts'
import type { Log } from '../log.ts'
import { handlers } from '../operations/handlers.ts'
import type { Asked, Parts } from '../operations/parts.ts'
import { version } from '../version.ts'
import { problemResponse, toProblem } from './problem-response.ts'
import { check, gather, readBody } from './read-input.ts'
import { pattern, type Route, routes } from './routes.ts'

/** A page beside the operations, such as `/healthz`: GET only, open to everybody unless it says otherwise. */
export type Page = (request: Request) => Response | Promise<Response>

export interface AppOptions {
  readonly parts: Parts
  readonly log: Log
  /** By path. */
  readonly pages: Readonly<Record<string, Page>>
  /** Answers what nothing else does: the dashboard. Undefined: not found. */
  readonly otherwise: (path: string, request: Request) => Response | undefined
}

/** All doors: each operation at each of its addresses, and the pages. Needs no socket. */
export function createApp({ parts, log, pages, otherwise }: AppOptions): Hono {
  const app = new Hono()
  app.use(async (context, next) => {
    await next()
    context.res.headers.set('tapdeck-version', version)
    context.res.headers.set('x-content-type-options', 'nosniff')
  })
  for (const [path, byMethod] of groupByPath(routes))
    app.all(pattern(path), (context) => {
      const method = meant(context.req.method)
      const route = byMethod.get(method as Method)
      if (route === undefined) throw notAllowed(context.req.method, [...byMethod.keys()])
      return bodyless(context, serve(context, route, parts))
    })
  for (const [path, page] of Object.entries(pages))
    app.all(path, (context) => {
      if (meant(context.req.method) !== 'GET') throw notAllowed(context.req.method, ['GET'])
      return bodyless(context, page(context.req.raw))
    })
  app.notFound((context) => {
    const reading = meant(context.req.method) === 'GET'
    const answer = reading ? otherwise(context.req.path, context.req.raw) : undefined
    return answer ? bodyless(context, answer) : problemResponse(unknownRoute(context.req.path))
  })
  app.onError((error) => problemResponse(toProblem(error, log)))
  return app
}

async function serve(context: Context, route: Route, parts: Parts): Promise<Response> {
  const request = context.req.raw
  const operation = operations[route.operation]
  const caller = parts.access.resolve(request.headers)
  const needed = route.door === 'mcp' ? (['mcp:use'] as const) : []
  const { capability } = operation
  if (typeof capability !== 'function') demand(caller, capability ? [...needed, capability] : needed)
  else demand(caller, needed)
  if (route.method !== 'GET') demandSameOrigin(request.headers.get('origin'), request.headers.get('host'))
  if (route.door === 'mcp') parts.switchboard.assistant()

  const input = check(operation.input, await readInput(context, route))
  if (typeof capability === 'function') demand(caller, [capability(input as never)])
  const asked: Asked = {
    caller,
    door: route.door,
    headers: request.headers,
    signal: request.signal,
    ...(operation.bytes === 'request' && request.body && { bytes: request.body }),
  }
  const handle = handlers[route.operation] as (input: unknown, parts: Parts, asked: Asked) => unknown
  const output = await handle(input, parts, asked)
  if (output instanceof Response) return output
  return Response.json(output, {
    status: operation.status ?? 200,
    headers: { 'cache-control': 'no-store' },
  })
}

async function readInput(context: Context, { operation: name, method }: Route): Promise<unknown> {
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
