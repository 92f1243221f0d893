import { createServer, type IncomingMessage, type Server } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { getRequestListener, RequestError } from '@hono/node-server'
import { linkPath, Problem, streamPath } from '@tapdeck/api'
import { type Access, requireCapability } from '../access/access.ts'
import type { AuditLog } from '../access/audit-log.ts'
import { noteRefused } from '../access/note-refused.ts'
import { requireSameSite } from '../access/same-origin.ts'
import type { LinkServer } from '../cluster/link-server.ts'
import type { StreamServer } from '../live/stream-server.ts'
import type { Log } from '../log.ts'
import { declineUpgrade } from './declined-upgrade.ts'
import type { Hosts } from './hosts.ts'
import { problemResponse, toProblem } from './problem-response.ts'
import { requireSameOrigin } from './serve-operation.ts'
import type { TlsFiles } from './tls-files.ts'

export interface ServerOptions {
  readonly fetch: (request: Request) => Response | Promise<Response>
  readonly access: Access
  readonly audit: AuditLog
  readonly links: LinkServer
  readonly streams: StreamServer
  readonly hosts: Hosts
  /** Certificate and key; absent: no TLS. */
  readonly tls?: TlsFiles | undefined
  readonly log: Log
}

/** A filter may be long, and it travels in the address. */
const MAX_HEADERS = 128 * 1024
const HEADERS_WITHIN_MS = 10_000
/** How often connections are looked at for being too slow. */
const LOOK_EVERY_MS = 1000
/** A connection on which nothing moves in either direction. Streams have pings of their own. */
const STILL_MS = 5 * 60_000
const MAX_CONNECTIONS = 16_384
const REFUSED_AFTER_MS = 1000

/** The one port: requests go to the app, upgrades to the two WebSocket servers. */
export function createHttpServer(options: ServerOptions): Server {
  const listener = getRequestListener(options.fetch, {
    overrideGlobalObjects: false,
    errorHandler: (error) => problemResponse(toProblem(asBadRequest(error), options.log)),
  })
  const limits = {
    maxHeaderSize: MAX_HEADERS,
    // One without a Host is refused by us, with a problem as its body like everything else.
    requireHostHeader: false,
    headersTimeout: HEADERS_WITHIN_MS,
    connectionsCheckingInterval: LOOK_EVERY_MS,
    // Captures that are imported may take long. A body that stands still is noticed where it is read.
    requestTimeout: 0,
  }
  const { tls } = options
  const server = tls
    ? createSecureServer(
        { ...limits, ...tls.read(), minVersion: 'TLSv1.2', handshakeTimeout: HEADERS_WITHIN_MS },
        listener,
      )
    : createServer(limits, listener)
  if (tls && 'setSecureContext' in server) tls.watch((files) => server.setSecureContext(files))
  server.timeout = STILL_MS
  server.maxConnections = MAX_CONNECTIONS
  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    if (request.headers.upgrade?.toLowerCase() !== 'websocket') {
      declineUpgrade(request, socket, head)
      server.emit(tls ? 'secureConnection' : 'connection', socket)
      return
    }
    socket.on('error', () => socket.destroy())
    upgrade(request, socket, head, options).catch((error) => refuse(socket, toProblem(error, options.log)))
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
    else if (error.code === 'HPE_HEADER_OVERFLOW')
      refuse(
        socket,
        new Problem(431, 'headers_too_large', `Request headers too large (max ${MAX_HEADERS} bytes)`),
      )
    else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT')
      refuse(socket, new Problem(408, 'too_slow', 'Timed out reading the request headers'))
    else refuse(socket, new Problem(400, 'broken_request', 'Malformed HTTP request'))
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
  { access, audit, links, streams, hosts }: ServerOptions,
): Promise<void> {
  hosts.check(request.headers.host)
  const pathname = pathOf(request.url ?? '/')
  const from = request.socket.remoteAddress ?? ''
  const refused = (what: string) => (error: unknown) => {
    const at = new Date().toISOString()
    throw noteRefused(audit, { at, from, door: 'stream', what }, error)
  }
  if (pathname === linkPath) return links.upgrade(request, socket, head).catch(refused('worker_link'))
  if (pathname !== streamPath)
    throw new Problem(404, 'unknown_route', `No WebSocket endpoint at ${pathname.slice(0, 200)}`)
  const headers = headersOf(request)
  requireSameSite(headers)
  const caller = await access.resolve(headers, from).catch(refused('open_stream'))
  try {
    requireSameOrigin(caller, headers)
    requireCapability(caller, ['dissection:live'])
  } catch (error) {
    const { name: who, role, kind } = caller
    const at = new Date().toISOString()
    audit.add({ at, who, role, kind, from, door: 'stream', what: 'open_stream', status: 403 })
    throw error
  }
  streams.upgrade(request, socket, head, caller)
}

/** Throws 400 for what is no address, such as `//`. */
function pathOf(url: string): string {
  if (!URL.canParse(url, 'http://hub'))
    throw new Problem(400, 'broken_request', `Malformed request target ${JSON.stringify(url.slice(0, 200))}`)
  return new URL(url, 'http://hub').pathname
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
  // Clients that do not close now are cut off.
  setTimeout(() => socket.destroy(), REFUSED_AFTER_MS).unref()
}

/** What the adapter could not even read, such as a broken Host header. */
function asBadRequest(error: unknown): unknown {
  return error instanceof RequestError ? new Problem(400, 'broken_request', 'Malformed request') : error
}
