import { once } from 'node:events'
import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { gunzipSync } from 'node:zlib'
import { checkTraces, MetricRules } from './check-otlp.ts'
import { readOtlp } from './otlp-definitions.ts'
import {
  type Metrics,
  plain,
  type ReceivedMetric,
  type ReceivedPoint,
  type ReceivedSpan,
  type Traces,
} from './otlp-shapes.ts'

/** What a receiver does with a request; undefined: it never answers. A function answers by itself. */
export type Reply =
  | { readonly status: number; readonly headers?: Record<string, string>; readonly body?: string }
  | ((response: ServerResponse) => void)
  | undefined

export interface ReceiverOptions {
  readonly tls?: { readonly cert: string; readonly key: string }
  /** Called before the body of a request is read; true: it is not read. */
  readonly interrupt?: (request: IncomingMessage) => boolean
}

/**
 * Receives OTLP over HTTP in its JSON encoding. OpenTelemetry's own definitions read each request; what they do not
 * accept is answered with 400 and is in `refused`.
 */
export class OtlpReceiver {
  readonly spans: ReceivedSpan[] = []
  /** The newest points, by metric. */
  readonly metrics = new Map<string, readonly ReceivedPoint[]>()
  /** The newest state of each metric, with its unit and kind. */
  readonly descriptions = new Map<string, ReceivedMetric>()
  readonly requests: {
    readonly path: string
    readonly headers: IncomingHttpHeaders
    readonly bytes: number
  }[] = []
  readonly refused: string[] = []
  reply: (path: string) => Reply = () => ({ status: 200 })
  readonly #rules = new MetricRules()
  readonly #server: Server
  readonly #options: ReceiverOptions

  private constructor(options: ReceiverOptions) {
    this.#options = options
    const answer = (request: IncomingMessage, response: ServerResponse) => {
      // A sender that goes away in the middle is no fault of the receiver.
      this.#answer(request, response).catch(() => response.destroy())
    }
    this.#server = options.tls ? createTlsServer(options.tls, answer) : createServer(answer)
  }

  static async open(options: ReceiverOptions = {}): Promise<OtlpReceiver> {
    const receiver = new OtlpReceiver(options)
    receiver.#server.listen(0, '127.0.0.1')
    await once(receiver.#server, 'listening')
    return receiver
  }

  get url(): string {
    return `${this.#options.tls ? 'https' : 'http'}://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { url: path = '', headers } = request
    if (this.#options.interrupt?.(request)) {
      this.requests.push({ path, headers, bytes: 0 })
      return
    }
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const body = Buffer.concat(chunks)
    this.requests.push({ path, headers, bytes: body.length })
    let reply = this.reply(path)
    if (reply === undefined) return
    if (typeof reply === 'function') return reply(response)
    if (reply.status === 200) {
      const problem = this.#take(path, headers, body)
      if (problem !== undefined) {
        this.refused.push(problem)
        reply = { status: 400 }
      }
    }
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers })
    response.end(reply.body ?? '{}')
  }

  /** Why the request is refused, or undefined. */
  #take(path: string, headers: IncomingHttpHeaders, body: Buffer): string | undefined {
    try {
      if (headers['content-type'] !== 'application/json') return `content-type: ${headers['content-type']}`
      const text = headers['content-encoding'] === 'gzip' ? gunzipSync(body) : body
      const read = readOtlp(path, JSON.parse(text.toString()))
      if (path.endsWith('/v1/traces')) this.#takeTraces(read as Traces)
      else this.#takeMetrics(read as Metrics)
      return undefined
    } catch (error) {
      return String(error)
    }
  }

  #takeTraces(traces: Traces): void {
    checkTraces(traces)
    for (const { resource, scopeSpans } of traces.resourceSpans ?? [])
      for (const span of scopeSpans.flatMap(({ spans }) => spans))
        this.spans.push({ ...span, resource: plain(resource.attributes) })
  }

  #takeMetrics(metrics: Metrics): void {
    this.#rules.check(metrics)
    for (const { scopeMetrics } of metrics.resourceMetrics ?? [])
      for (const metric of scopeMetrics.flatMap((scope) => scope.metrics)) {
        this.descriptions.set(metric.name, metric)
        this.metrics.set(metric.name, (metric.sum ?? metric.histogram)?.dataPoints ?? [])
      }
  }
}
