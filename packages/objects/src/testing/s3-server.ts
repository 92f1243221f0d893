import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Bucket, S3Error } from './bucket.ts'
import { isExpired, isSigned, testCredentials } from './signature.ts'

/** What goes wrong with a request: another answer, a connection that is cut before or after the work, an answer late or never. */
export type Fault =
  | { readonly kind: 'answer'; readonly status: number; readonly code: string }
  | { readonly kind: 'cut' }
  | { readonly kind: 'cut_after' }
  | { readonly kind: 'silent' }
  | { readonly kind: 'slow'; readonly until: Promise<void> }

export interface SeenRequest {
  readonly method: string
  /** Below the bucket. */
  readonly key: string
  readonly query: URLSearchParams
  readonly range: string | undefined
  /** It came with a grant in its address, not with credentials. */
  readonly granted: boolean
}

/**
 * One bucket that speaks the protocol of S3, in memory, for tests: path style, signatures are checked, faults on demand.
 * It is not a server of another maker: it accepts what the documentation of S3 says.
 */
export class S3Server {
  readonly bucket = new Bucket()
  readonly requests: SeenRequest[] = []
  /** Bytes of bodies that were sent to clients. */
  sentBytes = 0
  fault: (request: SeenRequest) => Fault | undefined = () => undefined
  readonly #server: Server

  private constructor() {
    this.#server = createServer((request, response) => void this.#serve(request, response))
    // A connection that is closed while a request is on its way would fail that request; clients of tests do not retry.
    this.#server.keepAliveTimeout = 0
  }

  static async start(): Promise<S3Server> {
    const started = new S3Server()
    started.#server.listen(0, '127.0.0.1')
    await once(started.#server, 'listening')
    return started
  }

  get endpoint(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  /** The variables that the credential chain of the SDK reads. */
  get environment(): Record<string, string> {
    const { accessKeyId, secretAccessKey } = testCredentials
    return { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_MAX_ATTEMPTS: '1' }
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    this.#server.close()
    await once(this.#server, 'close')
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const address = new URL(request.url ?? '/', this.endpoint)
    const [, bucket = '', ...rest] = address.pathname.split('/')
    const method = request.method ?? 'GET'
    const seen: SeenRequest = {
      method,
      key: decodeURIComponent(rest.join('/')),
      query: address.searchParams,
      range: request.headers.range,
      granted: address.searchParams.has('X-Amz-Signature'),
    }
    this.requests.push(seen)
    const fault = this.fault(seen)
    try {
      if (fault?.kind === 'cut') return void request.socket.destroy()
      const body = await bodyOf(request)
      if (fault?.kind === 'silent') return
      if (fault?.kind === 'slow') await fault.until
      if (fault?.kind === 'answer') throw new S3Error(fault.status, fault.code)
      if (isExpired(address, this.bucket.now())) throw new S3Error(403, 'AccessDenied')
      if (!isSigned(method, address, request.headers)) throw new S3Error(403, 'SignatureDoesNotMatch')
      if (bucket !== 'tests') throw new S3Error(404, 'NoSuchBucket')
      const answer = this.bucket.answer(seen, request.headers, body)
      if (fault?.kind === 'cut_after') return void request.socket.destroy()
      if (method !== 'HEAD') this.sentBytes += answer.body?.length ?? 0
      response.writeHead(answer.status, { ...answer.headers, 'content-length': answer.body?.length ?? 0 })
      response.end(answer.body)
    } catch (error) {
      const { status, code } = error instanceof S3Error ? error : new S3Error(500, 'InternalError')
      response.writeHead(status, { 'content-type': 'application/xml' })
      response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${code}</Message></Error>`)
    }
  }
}

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}
