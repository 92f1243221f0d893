import { once } from 'node:events'
import { createServer, get, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'

const ANSWER = Buffer.alloc(1 << 20, 'a large answer ')

/** An HTTP server on loopback whose answers have a megabyte. */
export class LargeAnswers {
  readonly port: number
  readonly #server: Server

  private constructor(server: Server) {
    this.#server = server
    this.port = (server.address() as AddressInfo).port
  }

  static async start(): Promise<LargeAnswers> {
    const server = createServer((_request, response) => response.end(ANSWER))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    return new LargeAnswers(server)
  }

  /** One after the other, each on a connection of its own. */
  async ask(paths: readonly string[]): Promise<void> {
    for (const path of paths) {
      const request = get({ host: '127.0.0.1', port: this.port, path, agent: false })
      const [response] = await once(request, 'response')
      response.resume()
      await once(response, 'end')
    }
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }
}
