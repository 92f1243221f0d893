import type { ConnectionOptions } from 'node:tls'
import type { HubMessage, WorkerMessage } from '@tapdeck/api'
import { WebSocket } from 'ws'
import type { Log } from '../log.ts'
import { BackOff } from './back-off.ts'

const HANDSHAKE_MS = 5000
/** The hub pings every few seconds: silence for this long means that the connection is dead. */
const SILENCE_MS = 20_000
const MAX_MESSAGE = 64 * 1024 * 1024
/** Above this, what can be done without is not sent. */
const CROWDED = 8 * 1024 * 1024

export interface HubLinkOptions {
  readonly address: URL
  /** Asked for at each connection; throws while there is none. */
  credential(): string
  /** By what the hub is known, where the link is by TLS; asked for at each connection. */
  readonly tls?: (() => ConnectionOptions) | undefined
  readonly log: Log
  /** What is said first on each connection. */
  hello(): Promise<WorkerMessage>
  message(message: HubMessage): void
  /** The connection is over: nobody waits for answers any more. */
  lost(): void
}

/** The one connection to the hub, opened again whenever it ends. */
export class HubLink {
  readonly #options: HubLinkOptions
  readonly #backOff = new BackOff()
  #socket: WebSocket | undefined
  #ready = false
  #retry: NodeJS.Timeout | undefined
  #silence: NodeJS.Timeout | undefined
  #lastFailure = ''
  #closed = false

  constructor(options: HubLinkOptions) {
    this.#options = options
  }

  /** Whether the hub has been told who we are. */
  get ready(): boolean {
    return this.#ready
  }

  /** Whether so much waits to be sent that more of the same helps nobody. */
  get crowded(): boolean {
    return (this.#socket?.bufferedAmount ?? 0) > CROWDED
  }

  connect(): void {
    let credential: string
    let tls: ConnectionOptions | undefined
    try {
      credential = this.#options.credential()
      tls = this.#options.tls?.()
    } catch (error) {
      this.#gone(0, `there is no worker credential: ${(error as Error).message}`)
      return
    }
    const socket = new WebSocket(this.#options.address, {
      ...tls,
      headers: { authorization: `Bearer ${credential}` },
      handshakeTimeout: HANDSHAKE_MS,
      maxPayload: MAX_MESSAGE,
      perMessageDeflate: false,
    })
    this.#socket = socket
    let openedAt = 0
    let failure = ''
    socket.on('open', () => {
      openedAt = performance.now()
      this.#hear(socket)
      void this.#greet(socket)
    })
    socket.on('message', (data, isBinary) => {
      this.#hear(socket)
      if (!isBinary) this.#take(String(data))
    })
    socket.on('ping', () => this.#hear(socket))
    socket.on('error', (error) => {
      failure = error.message
    })
    socket.on('close', () => this.#gone(openedAt === 0 ? 0 : performance.now() - openedAt, failure))
  }

  send(message: WorkerMessage): void {
    this.sendText(JSON.stringify(message))
  }

  /** A message that is JSON already. */
  sendText(text: string): void {
    if (this.#ready) this.#socket?.send(text)
  }

  /** Resolves when the bytes are on their way, or will never be. */
  sendBytes(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      if (this.#ready && this.#socket) this.#socket.send(bytes, () => resolve())
      else resolve()
    })
  }

  /** Ends this connection and opens another, which tells the hub all anew. */
  reconnect(): void {
    this.#socket?.terminate()
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#retry)
    this.#socket?.close(1000)
    clearTimeout(this.#silence)
  }

  async #greet(socket: WebSocket): Promise<void> {
    const hello = await this.#options.hello()
    if (socket.readyState !== WebSocket.OPEN) return
    socket.send(JSON.stringify(hello))
    this.#ready = true
    this.#lastFailure = ''
    this.#options.log.info({ hub: this.#options.address.host }, 'connected to the hub')
  }

  #take(text: string): void {
    let message: HubMessage
    try {
      message = JSON.parse(text)
    } catch {
      this.#options.log.warn('the hub says nonsense')
      return
    }
    this.#options.message(message)
  }

  #hear(socket: WebSocket): void {
    clearTimeout(this.#silence)
    this.#silence = setTimeout(() => socket.terminate(), SILENCE_MS)
  }

  #gone(lastedMs: number, failure: string): void {
    clearTimeout(this.#silence)
    const was = this.#ready
    this.#ready = false
    if (this.#closed) return
    if (was) this.#options.lost()
    const reason = failure || (was ? 'it closed the connection' : 'it did not answer')
    // Once for each reason: a hub that is away for an hour is one line, not thousands.
    if (was || reason !== this.#lastFailure)
      this.#options.log.warn({ hub: this.#options.address.host, reason }, 'no hub; recording goes on')
    this.#lastFailure = reason
    this.#retry = setTimeout(() => this.connect(), this.#backOff.after(lastedMs, Math.random()))
  }
}
