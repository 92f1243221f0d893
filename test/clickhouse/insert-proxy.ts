import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { address } from './address.ts'

/** What happens to an insert on its way: it arrives, it is refused, or its answer is lost. */
export type Inserts = 'pass' | 'refuse' | 'lose-answer'

/** A proxy before the HTTP interface of ClickHouse that fails on demand. */
export class InsertProxy {
  inserts: Inserts = 'pass'
  /** Every connection is cut. */
  isAway = false
  readonly #server: Server

  private constructor() {
    this.#server = createServer((incoming, outgoing) => {
      const isInsert = /INSERT/.test(decodeURIComponent(incoming.url ?? ''))
      if (this.isAway || (isInsert && this.inserts === 'refuse')) return incoming.socket.destroy()
      const onward = request(new URL(incoming.url ?? '/', address().url), {
        method: incoming.method,
        headers: incoming.headers,
      })
      onward.on('response', (answer) => {
        if (isInsert && this.inserts === 'lose-answer') {
          answer.resume().on('end', () => incoming.socket.destroy())
          return
        }
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
        answer.pipe(outgoing)
      })
      onward.on('error', () => incoming.socket.destroy())
      incoming.pipe(onward)
    })
  }

  static async start(): Promise<InsertProxy> {
    const proxy = new InsertProxy()
    await new Promise<void>((resolve) => proxy.#server.listen(0, '127.0.0.1', resolve))
    return proxy
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }
}
