import { once } from 'node:events'
import { type ClientHttp2Session, connect, constants, createServer } from 'node:http2'
import { connect as connectTcp } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Stage } from './stage.ts'

const PORT = 50_051
const HEADERS = { 'content-type': 'application/grpc+proto', te: 'trailers' }
/** One message: not compressed, two bytes. */
const MESSAGE = Buffer.from([0, 0, 0, 0, 2, 8, 1])

/** A server whose answers take as long as `wait` says. A call whose deadline has passed ends with DEADLINE_EXCEEDED. */
export async function serveGrpc(
  stage: Stage,
  service: string,
  wait: (path: string) => number,
): Promise<void> {
  const server = createServer()
  server.on('stream', (stream, headers) => {
    stream.on('error', () => undefined)
    stream.resume()
    const deadline = Number.parseInt(String(headers['grpc-timeout'] ?? ''), 10) || Number.POSITIVE_INFINITY
    const needed = wait(String(headers[':path']))
    void sleep(Math.min(needed, deadline)).then(() => {
      if (stream.destroyed || stream.closed) return
      const isLate = needed > deadline
      stream.once('wantTrailers', () => {
        if (!stream.destroyed && !stream.closed) stream.sendTrailers({ 'grpc-status': isLate ? '4' : '0' })
      })
      stream.respond({ ':status': 200, ...HEADERS }, { waitForTrailers: true })
      stream.end(isLate ? undefined : MESSAGE)
    })
  })
  server.listen(PORT, stage.pod(service).ip)
  await once(server, 'listening')
}

/** Unary calls of one pod over one connection. */
export class GrpcClient {
  readonly #session: ClientHttp2Session

  constructor(stage: Stage, from: string, to: string) {
    const [source, target] = [stage.pod(from), stage.pod(to)]
    this.#session = connect(`http://${target.ip}:${PORT}`, {
      createConnection: () => connectTcp({ host: target.ip, port: PORT, localAddress: source.ip }),
    })
    this.#session.on('error', () => undefined)
  }

  /** The status; a call that is not answered in time is cancelled. */
  call(path: string, timeout: number): Promise<string> {
    return new Promise((resolve, reject) => {
      const headers = { ...HEADERS, ':method': 'POST', ':path': path, 'grpc-timeout': `${timeout}m` }
      const stream = this.#session.request(headers)
      const timer = setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), timeout + 15)
      stream.once('trailers', (trailers) => resolve(String(trailers['grpc-status'])))
      stream.once('error', reject)
      stream.once('close', () => {
        clearTimeout(timer)
        resolve('4')
      })
      stream.resume()
      stream.end(MESSAGE)
    })
  }
}
