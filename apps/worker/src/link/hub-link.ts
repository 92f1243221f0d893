import type { ConnectionOptions } from 'node:tls'
import { type HubEnvelope, hubEnvelope, maxLinkMessage, type WorkerMessage } from '@tapdeck/api'
import { BackOff } from '@tapdeck/units'
import { WebSocket } from 'ws'
import type { Log } from '../log.ts'

const HANDSHAKE_MS = 5000
/** The hub pings every few seconds: after this long without a message the connection is dead. */
const SILENCE_MS = 20_000
/** Above this, reports and live calls are not sent. */
const MAX_QUEUED_BYTES = 8 * 1024 * 1024

export interface HubLinkOptions {
  readonly address: URL
  /** Read at each connection; throws if there is none. */
  credential(): string
  /** TLS options that authenticate the hub; read at each connection. */
  readonly tls?: (() => ConnectionOptions) | undefined
  readonly log: Log
  /** The first message of each connection. */
  hello(): Promise<WorkerMessage>
  message(message: HubEnvelope): void
  /** The connection has ended: no answer is expected any more. */
  lost(): void
}

/** The connection to the hub; reconnects whenever it ends. */
export class HubLink {
  readonly #options: HubLinkOptions
  readonly #backOff = new BackOff({ firstMs: 250, maxMs: 5000, stableMs: 5000, jitter: 0.4 })
  #socket: WebSocket | undefined
  #ready = false
  #retry: NodeJS.Timeout | undefined
  #silence: NodeJS.Timeout | undefined
  #lastFailure = ''
  #closed = false

  constructor(options: HubLinkOptions) {
    this.#options = options
  }

  /** Whether `hello` has been sent. */
  get ready(): boolean {
    return this.#ready
  }

  /** Whether the send queue is too long for messages that can be skipped. */
  get congested(): boolean {
    return (this.#socket?.bufferedAmount ?? 0) > MAX_QUEUED_BYTES
  }

  connect(): void {
    let credential: string
    let tls: ConnectionOptions | undefined
    let missing = 'No worker credential'
    try {
      credential = this.#options.credential()
      missing = 'No authority to verify the hub with (tap.tls.ca)'
      tls = this.#options.tls?.()
    } catch (error) {
      this.#disconnected(0, `${missing}: ${(error as Error).message}`)
      return
    }
    const socket = new WebSocket(this.#options.address, {
      ...tls,
      headers: { authorization: `Bearer ${credential}` },
      handshakeTimeout: HANDSHAKE_MS,
      maxPayload: maxLinkMessage,
      perMessageDeflate: false,
    })
    this.#socket = socket
    let openedAt = 0
    let failure = ''
    socket.on('open', () => {
      openedAt = performance.now()
      this.#restartSilenceTimer(socket)
      void this.#sendHello(socket)
    })
    socket.on('message', (data, isBinary) => {
      this.#restartSilenceTimer(socket)
      if (!isBinary) this.#take(String(data))
    })
    socket.on('ping', () => this.#restartSilenceTimer(socket))
    socket.on('error', (error) => {
      failure = error.message
    })
    socket.on('close', () => this.#disconnected(openedAt === 0 ? 0 : performance.now() - openedAt, failure))
  }

  send(message: WorkerMessage): void {
    this.sendText(JSON.stringify(message))
  }

  /** Sends a message that is JSON text. */
  sendText(text: string): void {
    if (this.#ready) this.#socket?.send(text)
  }

  /** Resolves when the bytes were sent or the connection is lost. */
  sendBytes(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve) => {
      if (this.#ready && this.#socket) this.#socket.send(bytes, () => resolve())
      else resolve()
    })
  }

  /** Ends this connection and opens a new one, so that the hub sends its state again. */
  reconnect(): void {
    this.#socket?.terminate()
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#retry)
    this.#socket?.close(1000)
    clearTimeout(this.#silence)
  }

  async #sendHello(socket: WebSocket): Promise<void> {
    const hello = await this.#options.hello()
    if (socket.readyState !== WebSocket.OPEN) return
    socket.send(JSON.stringify(hello))
    this.#ready = true
    this.#lastFailure = ''
    this.#options.log.info({ hub: this.#options.address.host }, 'Connected to the hub')
  }

  #take(text: string): void {
    let message: HubEnvelope
    try {
      message = hubEnvelope.parse(JSON.parse(text))
    } catch {
      this.#options.log.warn({ text: text.slice(0, 200) }, 'Ignored an invalid message of the hub')
      return
    }
    this.#options.message(message)
  }

  #restartSilenceTimer(socket: WebSocket): void {
    clearTimeout(this.#silence)
    this.#silence = setTimeout(() => socket.terminate(), SILENCE_MS)
  }

  #disconnected(lastedMs: number, failure: string): void {
    clearTimeout(this.#silence)
    const was = this.#ready
    this.#ready = false
    if (this.#closed) return
    if (was) this.#options.lost()
    const reason = failure || (was ? 'the hub closed the connection' : 'the hub did not answer')
    // Log each reason once: a hub that is down for an hour is one line, not thousands.
    if (was || reason !== this.#lastFailure)
      this.#options.log.warn(
        { hub: this.#options.address.host, reason },
        'No connection to the hub; recording goes on',
      )
    this.#lastFailure = reason
    this.#retry = setTimeout(() => this.connect(), this.#backOff.after(lastedMs))
  }
}
