import type { StreamMessage, StreamRequest } from '@tapdeck/api'
import { retryDelay } from '@tapdeck/units'

/** With jitter: the dashboards of a restarted hub do not come back all at once. */
const retryLimits = { firstMs: 500, maxMs: 15_000, jitter: 0.4 }

/** The part of a WebSocket that is used. */
export interface Socket {
  onopen: (() => void) | null
  onmessage: ((event: { readonly data: unknown }) => void) | null
  onclose: (() => void) | null
  send(text: string): void
  close(): void
}

export type ConnectionState =
  | { readonly kind: 'connecting'; readonly attempt: number }
  | { readonly kind: 'open' }
  /** Nothing is under way; the next attempt comes at `retryAt` (Unix milliseconds). */
  | { readonly kind: 'waiting'; readonly attempt: number; readonly retryAt: number }
  | { readonly kind: 'stopped' }

export interface StreamSocketOptions {
  readonly connect: () => Socket
  readonly onState: (state: ConnectionState) => void
  readonly onMessage: (message: StreamMessage) => void
  readonly random?: () => number
}

/** `nodes` comes every second; a socket this long without a word is hung, whatever TCP believes. */
const silenceMs = 15_000
const lookMs = 5000

/** The stream's WebSocket, opened again with back-off for as long as the page lives. */
export class StreamSocket {
  readonly #options: StreamSocketOptions
  #socket: Socket | undefined
  #attempt = 0
  #isOpen = false
  #heardAt = 0
  #retry: ReturnType<typeof setTimeout> | undefined
  #look: ReturnType<typeof setInterval> | undefined

  constructor(options: StreamSocketOptions) {
    this.#options = options
  }

  start(): void {
    if (this.#look !== undefined) return
    this.#look = setInterval(() => this.#noticeSilence(), lookMs)
    this.#connect()
  }

  stop(): void {
    clearInterval(this.#look)
    clearTimeout(this.#retry)
    this.#look = undefined
    this.#drop()
    this.#options.onState({ kind: 'stopped' })
  }

  /** Reconnects without waiting for the back-off: the network is back, or the user pressed a button. */
  retryNow(): void {
    if (this.#look === undefined || this.#socket) return
    clearTimeout(this.#retry)
    this.#connect()
  }

  /** Sends now or not at all: the caller sends it again at the next `open` if needed. */
  send(request: StreamRequest): void {
    if (this.#isOpen) this.#socket?.send(JSON.stringify(request))
  }

  #connect(): void {
    this.#options.onState({ kind: 'connecting', attempt: this.#attempt })
    let socket: Socket
    try {
      socket = this.#options.connect()
    } catch {
      this.#wait()
      return
    }
    this.#socket = socket
    this.#heardAt = Date.now()
    socket.onopen = () => {
      this.#attempt = 0
      this.#isOpen = true
      this.#heardAt = Date.now()
      this.#options.onState({ kind: 'open' })
    }
    socket.onmessage = (event) => {
      this.#heardAt = Date.now()
      const message = readMessage(event.data)
      if (message) this.#options.onMessage(message)
    }
    socket.onclose = () => {
      this.#drop()
      this.#wait()
    }
  }

  #noticeSilence(): void {
    if (!this.#socket || Date.now() - this.#heardAt < silenceMs) return
    this.#drop()
    this.#wait()
  }

  #wait(): void {
    const delay = retryDelay(retryLimits, this.#attempt, (this.#options.random ?? Math.random)())
    this.#attempt += 1
    this.#options.onState({ kind: 'waiting', attempt: this.#attempt, retryAt: Date.now() + delay })
    this.#retry = setTimeout(() => this.#connect(), delay)
  }

  #drop(): void {
    const socket = this.#socket
    this.#socket = undefined
    this.#isOpen = false
    if (!socket) return
    socket.onopen = null
    socket.onmessage = null
    socket.onclose = null
    socket.close()
  }
}

function readMessage(data: unknown): StreamMessage | undefined {
  if (typeof data !== 'string') return undefined
  try {
    const message: unknown = JSON.parse(data)
    const isMessage = typeof message === 'object' && message !== null && 'kind' in message
    return isMessage ? (message as StreamMessage) : undefined
  } catch {
    return undefined
  }
}
