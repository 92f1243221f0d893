import { createServer, get, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A request that was sent, with the clock of the client: milliseconds. */
export interface Sent {
  readonly number: number
  readonly from: number
  readonly to: number
}

const EVERY_MS = 25

/** HTTP requests over loopback at a steady pace, each with a number in its path and on a connection of its own. */
export class NumberedTraffic {
  readonly sent: Sent[] = []
  readonly port: number
  readonly #server: Server
  readonly #under = new Set<Promise<void>>()
  #timer: NodeJS.Timeout | undefined
  #last = 0

  private constructor(server: Server) {
    this.#server = server
    this.port = (server.address() as AddressInfo).port
  }

  static async start(): Promise<NumberedTraffic> {
    const server = createServer((request, response) => response.end(`you asked for ${request.url}`))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const traffic = new NumberedTraffic(server)
    traffic.#timer = setInterval(() => traffic.#ask(), EVERY_MS)
    return traffic
  }

  /** The number of the request that was sent last. */
  get last(): number {
    return this.#last
  }

  /** Resolves when all requests were answered. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    await Promise.all(this.#under)
    this.#server.close()
  }

  #ask(): void {
    const number = ++this.#last
    const from = Date.now()
    const asked = new Promise<void>((resolve, reject) => {
      const options = { host: '127.0.0.1', port: this.port, path: `/number/${number}`, agent: false }
      get(options, (response) => response.resume().on('end', resolve)).on('error', reject)
    }).then(() => {
      this.sent.push({ number, from, to: Date.now() })
    })
    this.#under.add(asked)
    void asked.finally(() => this.#under.delete(asked))
  }
}
