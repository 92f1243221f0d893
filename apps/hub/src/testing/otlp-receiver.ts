import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'

type Value = { readonly stringValue?: string; readonly intValue?: number; readonly boolValue?: boolean }
type KeyValues = readonly { readonly key: string; readonly value: Value }[]

export interface ReceivedSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly status: { readonly code: number }
  readonly attributes: KeyValues
  readonly resource: Readonly<Record<string, unknown>>
}

export interface ReceivedPoint {
  readonly attributes: KeyValues
  readonly asInt?: string | number
  readonly asDouble?: number
  readonly count?: string | number
  readonly sum?: number
}

interface Traces {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: KeyValues }
    readonly scopeSpans: readonly { readonly spans: readonly Omit<ReceivedSpan, 'resource'>[] }[]
  }[]
}

interface Metrics {
  readonly resourceMetrics: readonly {
    readonly scopeMetrics: readonly {
      readonly metrics: readonly ({ readonly name: string } & Readonly<
        Record<'sum' | 'histogram', { readonly dataPoints: readonly ReceivedPoint[] } | undefined>
      >)[]
    }[]
  }[]
}

/** What a receiver does with a request; undefined: it never answers. */
export type Reply = { readonly status: number; readonly headers?: Record<string, string> } | undefined

/** Receives OTLP over HTTP in its JSON encoding, as the specification has it. */
export class OtlpReceiver {
  readonly spans: ReceivedSpan[] = []
  /** The newest points, by metric. */
  readonly metrics = new Map<string, readonly ReceivedPoint[]>()
  readonly requests: { readonly path: string; readonly headers: IncomingHttpHeaders }[] = []
  reply: (path: string) => Reply = () => ({ status: 200 })
  readonly #server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const path = request.url ?? ''
    this.requests.push({ path, headers: request.headers })
    const reply = this.reply(path)
    if (reply === undefined) return
    if (reply.status === 200) this.#take(path, JSON.parse(body))
    response.writeHead(reply.status, { 'content-type': 'application/json', ...reply.headers }).end('{}')
  })

  static async open(): Promise<OtlpReceiver> {
    const receiver = new OtlpReceiver()
    receiver.#server.listen(0, '127.0.0.1')
    await once(receiver.#server, 'listening')
    return receiver
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  close(): void {
    this.#server.closeAllConnections()
    this.#server.close()
  }

  #take(path: string, body: unknown): void {
    if (path.endsWith('/v1/traces'))
      for (const { resource, scopeSpans } of (body as Traces).resourceSpans)
        for (const span of scopeSpans.flatMap(({ spans }) => spans))
          this.spans.push({ ...span, resource: plain(resource.attributes) })
    else
      for (const { scopeMetrics } of (body as Metrics).resourceMetrics)
        for (const { name, sum, histogram } of scopeMetrics.flatMap(({ metrics }) => metrics))
          this.metrics.set(name, (sum ?? histogram)?.dataPoints ?? [])
  }
}

/** Attributes as an object. */
export function plain(attributes: KeyValues): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.boolValue]),
  )
}
