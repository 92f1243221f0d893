import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'

/** Bytes as they came from one side of a connection. */
export interface RecordedBytes {
  readonly side: 0 | 1
  readonly bytes: Buffer
}

/** Passes connections on to a port of this machine, and keeps the bytes of each. */
export class RecordingProxy {
  /** One list a connection, in the order in which they began. */
  readonly connections: RecordedBytes[][] = []
  readonly #server: Server

  private constructor(target: number) {
    this.#server = createServer((socket) => {
      const bytes: RecordedBytes[] = []
      this.connections.push(bytes)
      join(socket, connect(target, '127.0.0.1'), bytes)
    })
  }

  static async to(target: number): Promise<RecordingProxy> {
    const proxy = new RecordingProxy(target)
    proxy.#server.listen(0, '127.0.0.1')
    await once(proxy.#server, 'listening')
    return proxy
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  close(): void {
    this.#server.close()
  }
}

function join(client: Socket, server: Socket, bytes: RecordedBytes[]): void {
  for (const [side, from, to] of [
    [0, client, server],
    [1, server, client],
  ] as const) {
    from.on('data', (chunk) => {
      bytes.push({ side, bytes: chunk })
      to.write(chunk)
    })
    from.on('end', () => to.end())
    from.on('error', () => to.destroy())
  }
}
