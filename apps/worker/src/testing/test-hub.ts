import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import type { HubMessage, WorkerMessage, WorkerReport, WorkerRequests } from '@tapdeck/api'
import { type WebSocket, WebSocketServer } from 'ws'

interface PendingRequest {
  resolve(result: unknown): void
  reject(failure: unknown): void
  readonly pieces: Buffer[]
}

/** A minimal hub: the other end of the worker link. */
export class TestHub {
  readonly credentials: (string | undefined)[] = []
  readonly hellos: Extract<WorkerMessage, { kind: 'hello' }>[] = []
  readonly calls: Extract<WorkerMessage, { kind: 'calls' }>[] = []
  report: WorkerReport | undefined
  reports = 0
  /** Whether pieces are answered with credit. */
  grantsCredit = true
  readonly #server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  readonly #pending = new Map<number, PendingRequest>()
  #socket: WebSocket | undefined
  #lastId = 0

  constructor() {
    this.#server.on('connection', (socket, request) => {
      this.credentials.push(request.headers.authorization)
      this.#socket = socket
      socket.on('message', (data: Buffer, isBinary) => (isBinary ? this.#piece(data) : this.#take(data)))
    })
  }

  async url(): Promise<string> {
    if (!this.#server.address()) await once(this.#server, 'listening')
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  ask<Name extends keyof WorkerRequests>(
    request: Name,
    input: WorkerRequests[Name]['input'],
  ): Promise<WorkerRequests[Name]['output'] & { readonly pieces: readonly Buffer[] }> {
    const id = ++this.#lastId
    return new Promise((resolve, reject) => {
      const pieces: Buffer[] = []
      const done = (result: unknown) =>
        resolve({ ...(result as object), pieces } as WorkerRequests[Name]['output'] & { pieces: Buffer[] })
      this.#pending.set(id, { resolve: done, reject, pieces })
      this.say({ kind: 'request', id, request, input } as HubMessage)
    })
  }

  say(message: HubMessage): void {
    this.#socket?.send(JSON.stringify(message))
  }

  /** Bytes of streamed answers that arrived and for which no credit was granted. */
  get held(): number {
    return [...this.#pending.values()].reduce(
      (sum, { pieces }) => sum + pieces.reduce((all, piece) => all + piece.length, 0),
      0,
    )
  }

  get lastId(): number {
    return this.#lastId
  }

  /** Reads nothing from the worker until `resume`. */
  pause(): void {
    this.#socket?.pause()
  }

  resume(): void {
    this.#socket?.resume()
  }

  hangUp(): void {
    this.#socket?.terminate()
  }

  close(): void {
    for (const socket of this.#server.clients) socket.terminate()
    this.#server.close()
  }

  #piece(data: Buffer): void {
    const id = data.readUInt32BE(0)
    this.#pending.get(id)?.pieces.push(data.subarray(4))
    if (this.grantsCredit) this.say({ kind: 'credit', id, bytes: data.length - 4 })
  }

  #take(data: Buffer): void {
    const message: WorkerMessage = JSON.parse(data.toString())
    if (message.kind === 'hello') this.hellos.push(message)
    if (message.kind === 'hello' || message.kind === 'report') {
      this.report = message.report
      this.reports++
    } else if (message.kind === 'calls') this.calls.push(message)
    else {
      const waiting = this.#pending.get(message.id)
      this.#pending.delete(message.id)
      if (message.kind === 'answer') waiting?.resolve(message.result)
      else waiting?.reject(message)
    }
  }
}
