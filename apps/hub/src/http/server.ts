import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { getRequestListener, RequestError } from '@hono/node-server'
import { Problem } from '@tapdeck/api'
import type { Log } from '../log.ts'
import { declineUpgrade } from './declined-upgrade.ts'
import type { PlainHttp } from './plain-http.ts'
import { problemResponse, toProblem } from './problem-response.ts'
import { refuseSocket } from './refuse-socket.ts'
import type { TlsSource } from './tls-source.ts'
import type { Upgrade } from './upgrades.ts'

export interface ServerOptions {
  readonly fetch: (request: Request) => Response | Promise<Response>
  readonly upgrade: Upgrade
  /** Certificate and key; absent: no TLS. */
  readonly tls?: TlsSource | undefined
  /** Which requests are accepted without TLS. */
  readonly plain: PlainHttp
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

/** A port of the hub: requests go to `fetch`, WebSockets to `upgrade`. */
export function createHttpServer(options: ServerOptions): Server {
  const { tls, log } = options
  const requireTls = (request: IncomingMessage) => {
    if (!tls) options.plain.check(plainRequest(request))
  }
  const answer = getRequestListener(options.fetch, {
    overrideGlobalObjects: false,
    errorHandler: (error) => problemResponse(toProblem(asBadRequest(error), log)),
  })
  const listener = (request: IncomingMessage, response: ServerResponse) => {
    try {
      requireTls(request)
    } catch (error) {
      writeProblem(response, toProblem(error, log))
      return
    }
    void answer(request, response)
  }
  const limits = {
    maxHeaderSize: MAX_HEADERS,
    // One without a Host is refused by us, with a problem as its body like everything else.
    requireHostHeader: false,
    headersTimeout: HEADERS_WITHIN_MS,
    connectionsCheckingInterval: LOOK_EVERY_MS,
    // Captures that are imported may take long. A body that stands still is noticed where it is read.
    requestTimeout: 0,
  }
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
    const upgraded = async () => {
      requireTls(request)
      await options.upgrade(request, socket, head)
    }
    upgraded().catch((error) => refuseSocket(socket, toProblem(error, log)))
  })
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    if (error.code === 'ECONNRESET' || !socket.writable) socket.destroy()
    else if (error.code === 'HPE_HEADER_OVERFLOW')
      refuseSocket(
        socket,
        new Problem(431, 'headers_too_large', `Request headers too large (max ${MAX_HEADERS} bytes)`),
      )
    else if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT')
      refuseSocket(socket, new Problem(408, 'too_slow', 'Timed out reading the request headers'))
    else refuseSocket(socket, new Problem(400, 'broken_request', 'Malformed HTTP request'))
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

function plainRequest({ socket, url, headers }: IncomingMessage) {
  const forwardedProto = headers['x-forwarded-proto']
  return {
    from: socket.remoteAddress ?? '',
    path: (url ?? '').replace(/\?.*/s, ''),
    forwardedProto: typeof forwardedProto === 'string' ? forwardedProto : undefined,
  }
}

function writeProblem(response: ServerResponse, problem: Problem): void {
  const { headers } = problemResponse(problem)
  response.writeHead(problem.status, { ...Object.fromEntries(headers), connection: 'close' })
  response.end(JSON.stringify(problem.body()))
}

/** What the adapter could not even read, such as a broken Host header. */
function asBadRequest(error: unknown): unknown {
  return error instanceof RequestError ? new Problem(400, 'broken_request', 'Malformed request') : error
}
