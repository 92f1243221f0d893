import { randomUUID } from 'node:crypto'
import type { AuthInfo } from '@modelcontextprotocol/sdk/server/auth/types.js'
import type { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { WebStandardStreamableHTTPServerTransport as Transport } from '@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js'
import { ErrorCode } from '@modelcontextprotocol/sdk/types.js'
import { Problem } from '@tapdeck/api'
import { parseJson, readText } from '../input/read-input.ts'
import { endCancelled, withoutCancellations, withoutCancelled } from './cancelled-requests.ts'
import { createMcpServer, type Dispatch } from './mcp-server.ts'
import type { Resource } from './resources.ts'

interface Session {
  readonly transport: Transport
  readonly server: Server
  /** Its owner: no other caller may use it. */
  readonly owner: string
  usedAt: number
}

export interface McpEndpointOptions {
  readonly dispatch: Dispatch
  readonly resources: readonly Resource[]
  readonly now: () => number
  /** Characters of an answer, unless a call says otherwise. */
  readonly maxChars: number
}

const MAX_SESSIONS = 500
const IDLE_MS = 30 * 60_000
const MAX_BODY = 1024 * 1024
/** JSON-RPC messages of one body. */
const MAX_BATCH = 50

/**
 * The MCP protocol at `/mcp` (streamable HTTP). An `initialize` opens a session; a client that keeps none may send single
 * requests, each of which stands for itself. Who may come is decided before this is called.
 */
export class McpEndpoint {
  readonly #options: McpEndpointOptions
  readonly #sessions = new Map<string, Session>()

  /** Applies to all sessions at once. */
  maxChars: number

  constructor(options: McpEndpointOptions) {
    this.#options = options
    this.maxChars = options.maxChars
  }

  get sessions(): number {
    return this.#sessions.size
  }

  /** `from`: the address of the caller. */
  async handle(request: Request, owner: string, from: string): Promise<Response> {
    const id = request.headers.get('mcp-session-id')
    const session = id === null ? undefined : this.#session(id, owner)
    if (request.method !== 'POST') {
      if (session) return session.transport.handleRequest(request)
      throw new Problem(
        400,
        'no_session',
        'Missing Mcp-Session-Id header: send the value that `initialize` returned',
      )
    }
    const text = await readText(request)
    let parsedBody: unknown
    try {
      parsedBody = withoutCancelled(withoutNulls(parseJson(text)))
    } catch {
      return brokenJson()
    }
    if (Array.isArray(parsedBody) && parsedBody.length > MAX_BATCH)
      throw new Problem(400, 'too_many_items', `Too many messages in a batch (max ${MAX_BATCH})`, {
        limit: MAX_BATCH,
        hint: 'Send the messages in several requests.',
      })
    const message = takingAnything(request)
    // Handlers of the protocol see no connection: this brings them the address that it came from.
    const authInfo: AuthInfo = { token: '', clientId: owner, scopes: [], extra: { from } }
    if (session) {
      const response = await session.transport.handleRequest(message, { parsedBody, authInfo })
      await endCancelled(parsedBody, session.transport)
      return response
    }
    return isInitialize(parsedBody)
      ? (await this.#open(message, owner)).handleRequest(message, { parsedBody, authInfo })
      : this.#once(message, withoutCancellations(parsedBody), authInfo)
  }

  /** Tells every assistant that listens, such as that indexing was paused. */
  announce(data: Readonly<Record<string, unknown>>): void {
    for (const { server } of this.#sessions.values())
      server.sendLoggingMessage({ level: 'notice', logger: 'tapdeck', data }).catch(() => {})
  }

  close(): void {
    for (const { transport } of this.#sessions.values()) void transport.close()
    this.#sessions.clear()
  }

  #session(id: string, owner: string): Session {
    const session = this.#sessions.get(id)
    if (session?.owner !== owner)
      throw new Problem(404, 'unknown_session', 'Unknown or expired session; initialize a new one')
    session.usedAt = this.#options.now()
    return session
  }

  async #open(request: Request, owner: string): Promise<Transport> {
    this.#makeRoom()
    const server = this.#server(request)
    const transport = new Transport({
      sessionIdGenerator: randomUUID,
      maxRequestBodySize: MAX_BODY,
      onsessioninitialized: (id) => {
        this.#sessions.set(id, { transport, server, owner, usedAt: this.#options.now() })
      },
      onsessionclosed: (id) => void this.#sessions.delete(id),
    })
    await server.connect(transport)
    return transport
  }

  async #once(request: Request, parsedBody: unknown, authInfo: AuthInfo): Promise<Response> {
    const server = this.#server(request)
    const transport = new Transport({ enableJsonResponse: true })
    await server.connect(transport)
    try {
      return await transport.handleRequest(request, { parsedBody, authInfo })
    } finally {
      void transport.close()
    }
  }

  #server(request: Request): Server {
    const { dispatch, resources } = this.#options
    return createMcpServer({
      dispatch,
      resources,
      structured: wantsStructured(request),
      maxChars: () => this.maxChars,
    })
  }

  /** Idle sessions leave; where that is not enough, the one that was silent longest. */
  #makeRoom(): void {
    const oldest = [...this.#sessions].sort(([, a], [, b]) => a.usedAt - b.usedAt)
    const idleSince = this.#options.now() - IDLE_MS
    for (const [id, session] of oldest) {
      if (session.usedAt > idleSince && this.#sessions.size < MAX_SESSIONS) return
      this.#sessions.delete(id)
      void session.transport.close()
    }
  }
}

/** By the address that a client is configured with, such as `/mcp?structured=true`. */
function wantsStructured(request: Request): boolean {
  return new URL(request.url).searchParams.get('structured') === 'true'
}

function isInitialize(body: unknown): boolean {
  const first: unknown = Array.isArray(body) ? body[0] : body
  return typeof first === 'object' && first !== null && Reflect.get(first, 'method') === 'initialize'
}

/** Some clients write `null` for no arguments, which the protocol does not know. */
function withoutNulls(body: unknown): unknown {
  if (Array.isArray(body)) return body.map(withoutNulls)
  const { params } = (body ?? {}) as { readonly params?: { readonly arguments?: unknown } | null }
  if (params?.arguments !== null) return body
  const { arguments: _none, ...rest } = params
  return { ...(body as object), params: rest }
}

/** The transport wants both kinds of answer named. Who names none, or anything, takes both as well. */
function takingAnything(request: Request): Request {
  const accept = request.headers.get('accept')
  if (accept !== null && !accept.includes('*/*')) return request
  const headers = new Headers(request.headers)
  headers.set('accept', 'application/json, text/event-stream')
  return new Request(request.url, { method: request.method, headers, signal: request.signal })
}

/** What JSON-RPC answers to what is no JSON. */
function brokenJson(): Response {
  const error = { code: ErrorCode.ParseError, message: 'The body is not valid JSON' }
  return Response.json({ jsonrpc: '2.0', error, id: null }, { status: 400 })
}
