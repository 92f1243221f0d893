import { readFileSync } from 'node:fs'
import type { Agent } from 'node:http'
import {
  CompressionAlgorithm,
  OTLPExporterBase,
  OTLPExporterError,
  type OTLPExporterNodeConfigBase,
} from '@opentelemetry/otlp-exporter-base'
import {
  convertLegacyHttpOptions,
  createOtlpHttpExportDelegate,
} from '@opentelemetry/otlp-exporter-base/node-http'
import {
  type IExporterMetricsHelper,
  type ISerializer,
  JsonMetricsSerializer,
  JsonTraceSerializer,
  MetricsExporterMetricsHelper,
  TraceExporterMetricsHelper,
} from '@opentelemetry/otlp-transformer'
import type { ResourceMetrics } from '@opentelemetry/sdk-metrics'
import type { ReadableSpan } from '@opentelemetry/sdk-trace'
import { ownAgents } from '@tapdeck/own-ports'
import type { PortRange } from '@tapdeck/units'

export interface OtlpExporterOptions {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly userAgent: string
  readonly timeoutMillis: number
  readonly compression: 'none' | 'gzip'
  /** A file with the authority of the receiver's certificate; empty: those of Node.js. */
  readonly caFile: string
  /** The source ports of connections; absent: any. */
  readonly ports?: PortRange | undefined
}

export interface OtlpResult {
  /** 0 is SUCCESS of ExportResultCode. */
  readonly code: number
  /** Why it failed, or why some were rejected. */
  readonly reason?: string
  /** Spans or data points that the receiver took the request without. */
  readonly rejected?: number
}

/** The part of a response to a request that was taken in part; see "Partial Success" in the specification of OTLP. */
interface Partial {
  readonly rejectedSpans?: unknown
  readonly rejectedDataPoints?: unknown
  readonly errorMessage?: unknown
}

const MAX_REASON = 300
const JSON_BODY = { 'Content-Type': 'application/json' }

/**
 * Sends OTLP over HTTP in JSON with OpenTelemetry's transport, which repeats what can be repeated. Adds two things: what
 * a receiver rejects of a request that it takes is counted, and a response that trickles in is broken off.
 */
export class OtlpExporter<Items> {
  readonly #base: OTLPExporterBase<Items>
  readonly #agent: Agent
  readonly #maxMs: number
  #partial: Partial | undefined

  static ofSpans(options: OtlpExporterOptions): OtlpExporter<ReadableSpan[]> {
    return new OtlpExporter(options, 'TRACES', JsonTraceSerializer, TraceExporterMetricsHelper)
  }

  static ofMetrics(options: OtlpExporterOptions): OtlpExporter<ResourceMetrics> {
    return new OtlpExporter(options, 'METRICS', JsonMetricsSerializer, MetricsExporterMetricsHelper)
  }

  private constructor(
    options: OtlpExporterOptions,
    signal: 'TRACES' | 'METRICS',
    serializer: ISerializer<Items, object>,
    helper: IExporterMetricsHelper<Items>,
  ) {
    const { url, headers, userAgent, timeoutMillis, compression, caFile, ports } = options
    this.#agent = ownAgents(ports, caFile === '' ? {} : { ca: readFileSync(caFile) }).of(url)
    // The limit of the transport is one of silence.
    this.#maxMs = 2 * timeoutMillis
    const config: OTLPExporterNodeConfigBase = {
      ...{ url, headers, userAgent, timeoutMillis, concurrencyLimit: 1 },
      compression: compression === 'gzip' ? CompressionAlgorithm.GZIP : CompressionAlgorithm.NONE,
      httpAgentOptions: () => this.#agent,
    }
    const http = convertLegacyHttpOptions(config, signal, `v1/${signal.toLowerCase()}`, JSON_BODY)
    this.#base = new OTLPExporterBase(
      createOtlpHttpExportDelegate(http, this.#watching(serializer), 'otlp_http_exporter', helper, undefined),
    )
  }

  export(items: Items, done: (result: OtlpResult) => void): void {
    this.#partial = undefined
    const timer = setTimeout(() => this.#agent.destroy(), this.#maxMs).unref()
    this.#base.export(items, ({ code, error }) => {
      clearTimeout(timer)
      const rejected = code === 0 ? rejectedOf(this.#partial) : 0
      if (rejected > 0) done({ code, rejected, reason: `rejected by the receiver: ${textOf(this.#partial)}` })
      else done({ code, ...(error && { reason: reasonOf(error) }) })
    })
  }

  async forceFlush(): Promise<void> {
    await this.#base.forceFlush()
  }

  /** Ends what is under way within its time. */
  async shutdown(): Promise<void> {
    await this.#base.shutdown()
    this.#agent.destroy()
  }

  #watching(serializer: ISerializer<Items, object>): ISerializer<Items, object> {
    return {
      serializeRequest: (items) => serializer.serializeRequest(items),
      deserializeResponse: (bytes) => {
        const response: { readonly partialSuccess?: Partial | null } = serializer.deserializeResponse(bytes)
        this.#partial = response.partialSuccess ?? undefined
        return response
      },
    }
  }
}

/** A 64-bit number, which JSON may have as text. What is no count rejects nothing. */
function rejectedOf(partial: Partial | undefined): number {
  const count = Number(partial?.rejectedSpans ?? partial?.rejectedDataPoints ?? 0)
  return Number.isFinite(count) && count > 0 ? Math.floor(count) : 0
}

function textOf(partial: Partial | undefined): string {
  const text = partial?.errorMessage
  return typeof text === 'string' && text !== '' ? text.slice(0, MAX_REASON) : 'no reason given'
}

function reasonOf(error: Error): string {
  const status = error instanceof OTLPExporterError && error.code !== undefined ? `${error.code} ` : ''
  return `${status}${error.message}`.trim().slice(0, MAX_REASON)
}
