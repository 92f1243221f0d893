import { Agent, request } from 'node:http'
import type { Stage, StagePod } from './stage.ts'

export const HTTP_PORT = 8080

export interface HttpAnswer {
  readonly status: number
  readonly body: string
}

export interface HttpOptions {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Buffer
  readonly timeout?: number
  /** Which pod; by default they take turns. */
  readonly pod?: number
  readonly agent?: Agent
  /** Another address than that of the service. */
  readonly ip?: string
}

/** Requests of one pod. A request that fails rejects. */
export class HttpClient {
  readonly #stage: Stage
  readonly #from: StagePod
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 64, keepAliveMsecs: 60_000 })
  #turn = 0

  constructor(stage: Stage, from: StagePod) {
    this.#stage = stage
    this.#from = from
  }

  get(service: string, path: string, options: HttpOptions = {}): Promise<HttpAnswer> {
    const pods = this.#stage.podsOf(service)
    const to = options.ip ?? pods[(options.pod ?? this.#turn++) % pods.length]?.ip
    return new Promise((resolve, reject) => {
      const outgoing = request({
        host: to,
        port: HTTP_PORT,
        path,
        localAddress: this.#from.ip,
        agent: options.agent ?? this.#agent,
        method: options.method ?? 'GET',
        headers: {
          host: service,
          ...(options.body && { 'content-length': options.body.length }),
          ...options.headers,
        },
        ...(options.timeout !== undefined && { timeout: options.timeout }),
      })
      outgoing.once('timeout', () => outgoing.destroy(new Error('timeout')))
      outgoing.once('error', reject)
      outgoing.once('response', (incoming) => {
        let body = ''
        incoming.setEncoding('utf8')
        incoming.on('data', (chunk) => {
          body += chunk
        })
        incoming.once('error', reject)
        incoming.once('end', () => resolve({ status: incoming.statusCode ?? 0, body }))
      })
      outgoing.end(options.body)
    })
  }
}
