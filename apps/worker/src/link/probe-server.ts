import { createServer, type Server } from 'node:http'

export interface ProbeServerOptions {
  /** Resolves when the capture thread has answered. */
  readonly capture: () => Promise<unknown>
  /** Whether the hub can be verified: its authority is known, or none is needed. */
  readonly canVerifyHub: () => boolean
  readonly isConnected: () => boolean
}

const ANSWER_WITHIN_MS = 2500
/** The files of a pod change when it is looked at, such as after a probe: so this one succeeds without the authority, but late. */
const START_WITHIN_MS = 10_000
/** A worker without a hub records, and is ready for that. */
const CONNECT_WITHIN_MS = 30_000

/**
 * Answers the probes of a cluster, on the loopback of the node. `/healthz`: this thread and the capture thread respond. `/startz`: also, the
 * authority of the hub is there, or late. `/readyz`: also, the hub was reached, or is late.
 */
export class ProbeServer {
  readonly #options: ProbeServerOptions
  readonly #server: Server
  readonly #startedAt = performance.now()
  #wasConnected = false

  constructor(options: ProbeServerOptions) {
    this.#options = options
    this.#server = createServer((request, response) => {
      void this.#check(request.url).then(([status, text]) => {
        response.writeHead(status, { 'content-type': 'text/plain', connection: 'close' }).end(`${text}\n`)
      })
    })
  }

  /** Throws if the port is in use. */
  listen(port: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#server.once('error', (error) => reject(new Error(`tap.probePort: ${error.message}`)))
      this.#server.listen(port, '127.0.0.1', resolve)
    })
  }

  close(): void {
    this.#server.close()
    this.#server.closeAllConnections()
  }

  async #check(path: string | undefined): Promise<readonly [number, string]> {
    if (path !== '/healthz' && path !== '/startz' && path !== '/readyz') return [404, 'no such probe']
    const age = performance.now() - this.#startedAt
    this.#wasConnected ||= this.#options.isConnected()
    if (path === '/startz' && age < START_WITHIN_MS && !this.#options.canVerifyHub())
      return [503, 'waits for the authority of the hub']
    if (path === '/readyz' && age < CONNECT_WITHIN_MS && !this.#wasConnected)
      return [503, 'waits for the hub']
    return (await this.#captureAnswers()) ? [200, 'ok'] : [503, 'the capture thread does not respond']
  }

  async #captureAnswers(): Promise<boolean> {
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<boolean>((resolve) => {
      timer = setTimeout(() => resolve(false), ANSWER_WITHIN_MS)
    })
    const answered = this.#options.capture().then(
      () => true,
      () => false,
    )
    return Promise.race([answered, late]).finally(() => clearTimeout(timer))
  }
}
