import { isDeepStrictEqual } from 'node:util'
import type { LiveCall } from '@tapdeck/api'
import type { Config } from '@tapdeck/config'
import { type Catalog, compile } from '@tapdeck/kfl'
import { type PortRange, parseDuration } from '@tapdeck/units'
import { withoutDecrypted } from '../access/visibility.ts'
import type { Batch, LiveSubscriptions } from '../live/live-subscriptions.ts'
import { version } from '../version.ts'
import { CallMetrics } from './call-metrics.ts'
import { callSpan } from './call-span.ts'
import { OtlpExporter } from './otlp-exporter.ts'
import { ServiceResources } from './service-resources.ts'
import { SpanQueue } from './span-queue.ts'

type TelemetryConfig = Config['tap']['telemetry']['otlp']

export interface TelemetryOptions {
  readonly subscriptions: LiveSubscriptions
  readonly catalog: Catalog
  readonly now: () => number
  /** Called with whether it is on, when that changes. */
  readonly changed: (isOn: boolean) => void
  /** The source ports of connections; absent: any. */
  readonly ports?: PortRange | undefined
  /** For tests: milliseconds that one export may take, and the first pause after a failure. */
  readonly timeoutMs?: number
  readonly backOff?: number
}

interface Running {
  readonly filter: string
  readonly spans: SpanQueue
  readonly metrics: CallMetrics
  /** Path and port of our own requests. */
  readonly own: { readonly paths: readonly string[]; readonly port: number }
}

const TIMEOUT_MS = 10_000
/** What stopping may wait for a last delivery. */
const MAX_CLOSE_MS = 1000

/** Sends live calls to an OpenTelemetry receiver: those of a trace as spans, and all of them as metrics. */
export class Telemetry {
  readonly #options: TelemetryOptions
  readonly #resources = new ServiceResources()
  readonly #reader = (batch: Batch) => this.#take(batch)
  readonly #counts = { calls: 0, skipped: 0, untraced: 0, unsampled: 0 }
  #applied: TelemetryConfig | undefined
  #endpoint = ''
  #running: Running | undefined

  constructor(options: TelemetryOptions) {
    this.#options = options
  }

  /** The configuration that it works with. */
  get applied(): TelemetryConfig | undefined {
    return this.#applied
  }

  get isOn(): boolean {
    return this.#running !== undefined
  }

  /** Undefined while it is off. */
  get state() {
    if (this.#running === undefined) return undefined
    const { spans, metrics } = this.#running
    return { endpoint: this.#endpoint, ...this.#counts, spans: spans.state, metrics: metrics.state }
  }

  /** Throws if the filter is wrong or `caFile` cannot be read, and goes on as before. */
  async configure(config: TelemetryConfig): Promise<void> {
    const { subscriptions, catalog, now, changed, timeoutMs = TIMEOUT_MS, backOff, ports } = this.#options
    if (isDeepStrictEqual(config, this.#applied)) return
    compile(config.kfl, catalog, now())
    const exporters = config.enabled ? exportersOf(config, timeoutMs, ports) : undefined
    const wasOn = this.isOn
    await this.close()
    this.#applied = config
    if (exporters) {
      const { urls, spans: exporter } = exporters
      const { origin } = new URL(config.endpoint)
      this.#endpoint = origin
      this.#running = {
        // Receivers have readers of their own: what was encrypted stays here.
        filter: withoutDecrypted(config.kfl),
        spans: new SpanQueue({
          ...{ exporter, now, maxQueued: config.queueSize, maxPerSecond: config.maxSpansPerSecond },
          ...(backOff !== undefined && { backOff }),
        }),
        metrics: new CallMetrics({
          exporter: exporters.metrics,
          intervalMs: parseDuration(config.metricsInterval) ?? 0,
          timeoutMs,
        }),
        own: { paths: urls.map((url) => new URL(url).pathname), port: portOf(new URL(origin)) },
      }
      subscriptions.read(this.#running.filter, this.#reader, true)
    }
    if (this.isOn !== wasOn) changed(this.isOn)
  }

  /** Sends the metrics of now. */
  async flush(): Promise<void> {
    await this.#running?.metrics.flush()
  }

  async close(): Promise<void> {
    const running = this.#running
    if (running === undefined) return
    this.#running = undefined
    this.#options.subscriptions.leave(running.filter, this.#reader, true)
    running.spans.close()
    let timer: NodeJS.Timeout | undefined
    const late = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, MAX_CLOSE_MS)
    })
    await Promise.race([running.metrics.close(), late])
    clearTimeout(timer)
  }

  #take({ calls, skipped }: Batch): void {
    if (this.#running === undefined) return
    const { spans, metrics, own } = this.#running
    this.#counts.skipped += skipped
    metrics.skip(skipped)
    for (const call of calls) {
      if (isOwn(call, own)) continue
      this.#counts.calls++
      metrics.add(call)
      const { trace } = call
      if (trace === undefined) this.#counts.untraced++
      else if (!trace.sampled) this.#counts.unsampled++
      else if (spans.take()) spans.offer(callSpan(call, trace, this.#resources.of(call.dst)))
    }
  }
}

function exportersOf(
  { endpoint, headers, compression, caFile }: TelemetryConfig,
  timeoutMillis: number,
  ports?: PortRange,
) {
  const base = endpoint.replace(/\/+$/, '')
  const urls = [`${base}/v1/traces`, `${base}/v1/metrics`] as const
  const shared = { headers, compression, caFile, timeoutMillis, ports, userAgent: `tapdeck/${version}` }
  return {
    urls,
    spans: OtlpExporter.ofSpans({ ...shared, url: urls[0] }),
    metrics: OtlpExporter.ofMetrics({ ...shared, url: urls[1] }),
  }
}

/** Our own deliveries are calls as well, and would be reported in the next one. */
function isOwn({ method, path, dst }: LiveCall, { paths, port }: Running['own']): boolean {
  return method === 'POST' && dst.port === port && paths.includes(path ?? '')
}

function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port)
  return protocol === 'https:' ? 443 : 80
}
