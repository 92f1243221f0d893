import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { getRequestListener, RequestError } from '@hono/node-server'
import { linkPath, Problem, streamPath } from '@tapdeck/api'
import { type Access, demand } from '../access/access.ts'
import { demandSameOrigin } from '../access/same-origin.ts'
import type { LinkServer } from '../cluster/link-server.ts'
import type { StreamServer } from '../live/stream-server.ts'
import type { Log } from '../log.ts'
import { problemResponse, toProblem } from './problem-response.ts'

export interface ServerOptions {
  readonly fetch: (request: Request) => Response | Promise<Response>
  readonly access: Access
  readonly links: LinkServer
  readonly streams: StreamServer
  readonly log: Log
}

/** A filter may be long, and it travels in the address. */
const MAX_HEADERS = 128 * 1024
const HEADERS_WITHIN_MS = 20_000

/** The one port: requests go to the app, upgrades to the two WebSocket doors. */
export function createHttpServer(options: ServerOptions): Server {
  const listener = getRequestListener(options.fetch, {
    overrideGlobalObjects: false,
    errorHandler: (error) => problemResponse(toProblem(asBadRequest(error), options.log)),
  })
  const server = createServer(
    {
      maxHeaderSize: MAX_HEADERS,
      headersTimeout: HEADERS_WITHIN_MS,
      // Captures that are imported may take long; a body has no deadline, only its headers do.
      requestTimeout: 0,
    },
    listener,
  )
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    upgrade(request, socket, head, options).catch((error) => refuse(socket, toProblem(error, options.log)))
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
    else if (error.code === 'HPE_HEADER_OVERFLOW')
      refuse(socket, new Problem(431, 'headers_too_large', `headers may have at most ${MAX_HEADERS} bytes`))
    else refuse(socket, new Problem(400, 'broken_request', 'this is no HTTP request'))
  })
  return server
}

/** Resolves with the port once it listens. */
export function listen(server: Server, host: string, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, host, () => {
      server.off('error', reject)
      resolve((server.address() as AddressInfo).port)
    })
  })
}

async function upgrade(
  request: IncomingMessage,
  socket: Duplex,
  head: Buffer,
  { access, links, streams }: ServerOptions,
): Promise<void> {
  const { pathname } = new URL(request.url ?? '/', 'http://hub')
  if (pathname === linkPath) return links.upgrade(request, socket, head)
  if (pathname !== streamPath)
    throw new Problem(404, 'unknown_route', `there is no stream at ${pathname.slice(0, 200)}`)
  demandSameOrigin(request.headers.origin, request.headers.host)
  demand(access.resolve(headersOf(request)), ['dissection:live'])
  streams.upgrade(request, socket, head)
}

function headersOf(request: IncomingMessage): Headers {
  const headers = new Headers()
  for (const [name, values] of Object.entries(request.headersDistinct))
    for (const value of values ?? []) headers.append(name, value)
  return headers
}

/** Writes a problem on a bare socket. */
function refuse(socket: Duplex, problem: Problem): void {
  const response = problemResponse(problem)
  const body = JSON.stringify(problem.body())
  const lines = [
    `HTTP/1.1 ${problem.status} ${problem.body().title}`,
    ...[...response.headers].map(([name, value]) => `${name}: ${value}`),
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  socket.end(`${lines.join('\r\n')}\r\n\r\n${body}`)
}

/** What the adapter could not even read, such as a broken Host header. */
function asBadRequest(error: unknown): unknown {
  return error instanceof RequestError
    ? new Problem(400, 'broken_request', 'this request cannot be read')
    : error
}
