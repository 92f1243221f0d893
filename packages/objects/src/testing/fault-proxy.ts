import { once } from 'node:events'
import {
  createServer,
  type IncomingMessage,
  request as open,
  type Server,
  type ServerResponse,
} from 'node:http'
import type net from 'node:net'
import type { AddressInfo } from 'node:net'
import type { Fault, SeenRequest } from './s3-server.ts'

/** Also a connection that ends after some bytes of what is sent. */
export type ProxyFault = Fault | { readonly kind: 'cut_within'; readonly bytes: number }

/** A request with what passed for it. */
export interface PassedRequest extends SeenRequest {
  /** Bytes of the body that the client sent. */
  received: number
  /** Bytes of the body that the client got. */
  sent: number
  /** Of the answer; undefined until it comes. */
  status?: number
}

/**
 * A proxy for a storage of any maker: counts the bytes that pass, and makes faults on demand. It changes nothing, so signatures
 * stay valid.
 */
export class FaultProxy {
  readonly requests: PassedRequest[] = []
  fault: (request: PassedRequest) => ProxyFault | undefined = () => undefined
  readonly #target: URL
  readonly #server: Server

  private constructor(target: string) {
    this.#target = new URL(target)
    this.#server = createServer((request, response) => void this.#pass(request, response))
    // As in the test server: a connection that is closed meanwhile would fail a request.
    this.#server.keepAliveTimeout = 0
    this.#server.requestTimeout = 0
  }

  /** `listener` has a socket that listens already, such as in another network namespace; default: a port of loopback. */
  static async start(target: string, listener?: net.Server): Promise<FaultProxy> {
    const started = new FaultProxy(target)
    if (listener) started.#server.listen(listener)
    else started.#server.listen(0, '127.0.0.1')
    await once(started.#server, 'listening')
    return started
  }

  get endpoint(): string {
    const { address, port } = this.#server.address() as AddressInfo
    return `http://${address}:${port}`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const seen = seenOf(request, this.endpoint)
    this.requests.push(seen)
    const fault = this.fault(seen)
    if (fault?.kind === 'cut') return void request.socket.destroy()
    if (fault?.kind === 'silent') return void request.resume()
    if (fault?.kind === 'slow') await fault.until
    if (fault?.kind === 'answer') {
      await once(request.resume(), 'end').catch(() => {})
      seen.status = fault.status
      response.writeHead(fault.status, { 'content-type': 'application/xml' })
      return void response.end(`<?xml version="1.0"?><Error><Code>${fault.code}</Code></Error>`)
    }
    // Node.js has answered it already.
    const { expect: _, ...headers } = request.headers
    const { hostname, port } = this.#target
    const { method, url: path } = request
    const onward = open({ ...{ hostname, port, method, path, headers }, agent: false })
    const cut = () => {
      onward.destroy()
      request.socket.destroy()
    }
    onward.on('error', cut)
    request.on('error', cut)
    // A client that was killed leaves its request unfinished: the storage must see that too.
    response.on('close', () => response.writableFinished || onward.destroy())
    request.on('data', (chunk: Buffer) => {
      seen.received += chunk.length
      if (fault?.kind === 'cut_within' && seen.received > fault.bytes) cut()
    })
    request.pipe(onward)
    onward.on('response', (answer) => {
      seen.status = answer.statusCode ?? 0
      if (fault?.kind === 'cut_after') return cut()
      response.writeHead(seen.status, answer.headers)
      answer.on('data', (chunk: Buffer) => {
        seen.sent += chunk.length
      })
      answer.on('error', cut)
      answer.pipe(response)
    })
  }
}

function seenOf({ url, method = 'GET', headers }: IncomingMessage, endpoint: string): PassedRequest {
  const { pathname, searchParams: query } = new URL(url ?? '/', endpoint)
  const key = decodeURIComponent(pathname.split('/').slice(2).join('/'))
  const granted = query.has('X-Amz-Signature')
  return { ...{ method, key, query, granted, range: headers.range }, received: 0, sent: 0 }
}
