import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import type { Transport } from '@modelcontextprotocol/sdk/shared/transport.js'
import {
  ErrorCode,
  isInitializedNotification,
  isInitializeRequest,
  isJSONRPCRequest,
  type JSONRPCMessage,
  type JSONRPCRequest,
  type RequestId,
} from '@modelcontextprotocol/sdk/types.js'
import { LostConnection } from '../hub/lost-connection.ts'

export interface McpBridgeOptions {
  /** The hub's `/mcp`. */
  readonly url: URL
  readonly token?: string | undefined
  readonly note: (line: string) => void
}

/** As long as an answer may take that was asked for before the assistant left. */
const PATIENCE_MS = 60_000

/**
 * Carries messages between an assistant (standard input and output) and the hub, both ways and unread: what the hub
 * offers is what the assistant sees. A hub that was restarted has forgotten the session; it is opened again unnoticed.
 */
export class McpBridge {
  readonly #assistant: Transport
  readonly #options: McpBridgeOptions
  #hub: StreamableHTTPClientTransport
  #opening: JSONRPCRequest | undefined
  /** Answers to this one are ours: the assistant has had its own. */
  #reopening: string | undefined
  #reopened: (() => void) | undefined
  readonly #unanswered = new Set<RequestId>()
  #answered: (() => void) | undefined

  constructor(assistant: Transport, options: McpBridgeOptions) {
    this.#assistant = assistant
    this.#options = options
    this.#hub = this.#connect()
  }

  /** The assistant that started this process. */
  static onStandardStreams(options: McpBridgeOptions): McpBridge {
    return new McpBridge(new StdioServerTransport(), options)
  }

  /** Resolves when the assistant leaves. */
  async run(): Promise<void> {
    const left = new Promise<void>((resolve) => {
      this.#assistant.onclose = resolve
    })
    this.#assistant.onmessage = (message) => void this.#toHub(message)
    this.#assistant.onerror = (error) => this.#options.note(`not understood: ${error.message}`)
    await this.#hub.start()
    await this.#assistant.start()
    await left
    await this.#hub.terminateSession().catch(() => {})
    await this.#hub.close()
  }

  /** The assistant says no more: what it asked is still answered, within a time, as for `printf … | tapdeck mcp`. */
  async leave(patienceMs = PATIENCE_MS): Promise<void> {
    let timer: NodeJS.Timeout | undefined
    if (this.#unanswered.size > 0)
      await new Promise<void>((resolve) => {
        this.#answered = resolve
        timer = setTimeout(resolve, patienceMs)
      })
    clearTimeout(timer)
    await this.#assistant.close()
  }

  #connect(): StreamableHTTPClientTransport {
    const { url, token } = this.#options
    const headers: Record<string, string> = token ? { authorization: `Bearer ${token}` } : {}
    const hub = new StreamableHTTPClientTransport(url, { requestInit: { headers } })
    hub.onmessage = (message) => this.#fromHub(message, hub)
    hub.onerror = () => {}
    return hub
  }

  #fromHub(message: JSONRPCMessage, hub: StreamableHTTPClientTransport): void {
    const answers = 'id' in message && !('method' in message) ? message.id : undefined
    if ('result' in message && (answers === this.#opening?.id || answers === this.#reopening)) {
      const { protocolVersion } = message.result as { protocolVersion?: string }
      if (protocolVersion) hub.setProtocolVersion(protocolVersion)
    }
    if (answers !== undefined && answers === this.#reopening) this.#reopened?.()
    else void this.#tell(message)
  }

  async #toHub(message: JSONRPCMessage): Promise<void> {
    if (isInitializeRequest(message)) this.#opening = message as JSONRPCRequest
    if (isJSONRPCRequest(message)) this.#unanswered.add(message.id)
    try {
      await this.#hub.send(message)
    } catch (error) {
      if (statusOf(error) === 404 && this.#opening && !isInitializedNotification(message))
        await this.#again(message)
      else this.#refuse(message, error)
    }
  }

  /** The session is gone: opens another with the assistant's own words, and sends the message once more. */
  async #again(message: JSONRPCMessage): Promise<void> {
    try {
      await this.#hub.close()
      this.#hub = this.#connect()
      await this.#hub.start()
      this.#reopening = `reopen-${Date.now()}`
      const open = new Promise<void>((resolve) => {
        this.#reopened = resolve
      })
      await this.#hub.send({ ...(this.#opening as JSONRPCRequest), id: this.#reopening })
      await open
      await this.#hub.send({ jsonrpc: '2.0', method: 'notifications/initialized' })
      await this.#hub.send(message)
    } catch (error) {
      this.#refuse(message, error)
    }
  }

  #refuse(message: JSONRPCMessage, error: unknown): void {
    const text = this.#explain(error)
    this.#options.note(text)
    if (!isJSONRPCRequest(message)) return
    void this.#tell({
      jsonrpc: '2.0',
      id: message.id,
      error: { code: ErrorCode.InternalError, message: text },
    })
  }

  async #tell(message: JSONRPCMessage): Promise<void> {
    await this.#assistant.send(message)
    if ('method' in message || message.id === undefined) return
    this.#unanswered.delete(message.id)
    if (this.#unanswered.size === 0) this.#answered?.()
  }

  #explain(error: unknown): string {
    const status = statusOf(error)
    const where = this.#options.url.href
    if (status === 401)
      return `the hub at ${where} wants a credential: --token-file, TAPDECK_TOKEN_FILE or TAPDECK_TOKEN`
    if (status === 403) return `this credential's role may not use ${where}: it lacks mcp:use`
    if (status !== undefined) return `the hub at ${where} answered ${status}`
    const { message, hint } = new LostConnection(where, error)
    return `${message}. ${hint}`
  }
}

/** The SDK's errors carry the status of the answer as their code. */
function statusOf(error: unknown): number | undefined {
  const code: unknown = typeof error === 'object' && error !== null ? Reflect.get(error, 'code') : undefined
  return typeof code === 'number' && code >= 100 ? code : undefined
}
