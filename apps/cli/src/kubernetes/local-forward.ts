import { createServer, type Server, type Socket } from 'node:net'
import { Writable } from 'node:stream'
import { type KubeConfig, PortForward } from '@kubernetes/client-node'

export interface LocalForwardOptions {
  readonly namespace: string
  readonly pod: string
  /** The port of the pod. */
  readonly port: number
  /** The local port; 0: any that is free. */
  readonly localPort: number
  /** A connection could not be forwarded. */
  failed(reason: string): void
}

export interface LocalForward {
  readonly url: string
  close(): void
}

/** Listens on this machine and passes each connection on to a port of a pod, as `kubectl port-forward` does. */
export async function openLocalForward(
  config: KubeConfig,
  { namespace, pod, port, localPort, failed }: LocalForwardOptions,
): Promise<LocalForward> {
  const forward = new PortForward(config, true)
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
    socket.on('error', () => socket.destroy())
    socket.pause()
    // A port of the pod on which nothing listens is reported here, and the connection to the API server can stay open.
    const errors = new Writable({
      write(chunk: Buffer, _encoding, done) {
        if (chunk.length > 0) {
          failed(chunk.toString('utf8').trim())
          socket.destroy()
        }
        done()
      },
    })
    forward
      .portForward(namespace, pod, [port], socket, errors, socket)
      .then((link) => {
        if (typeof link === 'function') return
        if (socket.destroyed) link.close()
        link.on?.('close', () => socket.end())
        socket.on('close', () => link.close())
        socket.resume()
      })
      .catch((error: unknown) => {
        failed(messageOf(error))
        socket.destroy()
      })
  })
  const local = await listen(server, localPort)
  return {
    url: `http://127.0.0.1:${local}`,
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

function listen(server: Server, port: number): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(port, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address ? address.port : port)
    })
  })
}

/** Errors of the client carry the whole answer; those of a socket carry their cause. */
function messageOf(error: unknown): string {
  if (error instanceof Error) return error.message
  const { message } = (error ?? {}) as { message?: unknown }
  return typeof message === 'string' ? message : String(error)
}
