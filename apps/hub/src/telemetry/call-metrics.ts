import type { Attributes, Counter, Histogram } from '@opentelemetry/api'
import { resourceFromAttributes } from '@opentelemetry/resources'
import {
  MeterProvider,
  PeriodicExportingMetricReader,
  type PushMetricExporter,
  type ResourceMetrics,
} from '@opentelemetry/sdk-metrics'
import type { LiveCall } from '@tapdeck/api'
import { version } from '../version.ts'
import { errorType, isFailed } from './call-attributes.ts'
import type { OtlpExporter } from './otlp-exporter.ts'

/** Series of one metric; more are counted together, with the attribute `otel.metric.overflow`. */
const MAX_SERIES = 2000
/** Seconds: the boundaries that the conventions give for durations of HTTP. */
const BOUNDARIES = [0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10]

export interface CallMetricsOptions {
  readonly exporter: OtlpExporter<ResourceMetrics>
  readonly intervalMs: number
  readonly timeoutMs: number
}

/** Rate, errors and duration of calls, by service and protocol. Cumulative: what is not delivered once comes with the next. */
export class CallMetrics {
  readonly #provider: MeterProvider
  readonly #reader: PeriodicExportingMetricReader
  readonly #calls: Counter
  readonly #skipped: Counter
  readonly #duration: Histogram
  readonly #counts = { sent: 0, failed: 0 }
  #lastError: string | undefined

  constructor({ exporter, intervalMs, timeoutMs }: CallMetricsOptions) {
    this.#reader = new PeriodicExportingMetricReader({
      exporter: this.#counting(exporter),
      exportIntervalMillis: intervalMs,
      exportTimeoutMillis: Math.min(timeoutMs, intervalMs),
    })
    this.#provider = new MeterProvider({
      resource: resourceFromAttributes({ 'service.name': 'tapdeck-hub', 'service.version': version }),
      readers: [this.#reader],
      views: [{ instrumentName: '*', aggregationCardinalityLimit: MAX_SERIES }],
    })
    const meter = this.#provider.getMeter('tapdeck', version)
    this.#calls = meter.createCounter('tapdeck.calls', {
      description: 'Calls that were seen.',
      unit: '{call}',
    })
    this.#skipped = meter.createCounter('tapdeck.calls.skipped', {
      description: 'Matching calls that are in no other metric, because there were too many.',
      unit: '{call}',
    })
    this.#duration = meter.createHistogram('tapdeck.call.duration', {
      description: 'From the first byte of a request to the last byte of its response.',
      unit: 's',
      advice: { explicitBucketBoundaries: BOUNDARIES },
    })
  }

  get state() {
    return { ...this.#counts, ...(this.#lastError !== undefined && { last_error: this.#lastError }) }
  }

  add(call: LiveCall): void {
    const attributes = seriesOf(call)
    this.#calls.add(1, attributes)
    if (call.latency_ms !== undefined) this.#duration.record(call.latency_ms / 1000, attributes)
  }

  skip(calls: number): void {
    if (calls > 0) this.#skipped.add(calls)
  }

  /** Sends now. Never rejects. */
  async flush(): Promise<void> {
    await this.#reader.forceFlush().catch(() => {})
  }

  async close(): Promise<void> {
    await this.#provider.shutdown().catch(() => {})
  }

  #counting(exporter: OtlpExporter<ResourceMetrics>): PushMetricExporter {
    return {
      export: (metrics, done) =>
        exporter.export(metrics, ({ code, reason, rejected }) => {
          if (code === 0 && rejected === undefined) {
            this.#counts.sent++
            this.#lastError = undefined
          } else {
            this.#counts.failed++
            this.#lastError = reason || 'the receiver did not take the metrics'
          }
          // The reader would only log a failure, and not to our log.
          done({ code: 0 })
        }),
      forceFlush: () => exporter.forceFlush(),
      shutdown: () => exporter.shutdown(),
    }
  }
}

function seriesOf(call: LiveCall): Attributes {
  const { proto, status, error, dst } = call
  return {
    'tapdeck.proto': proto,
    'tapdeck.service': dst.svc ?? dst.pod ?? dst.ip,
    ...(dst.ns !== undefined && { 'tapdeck.namespace': dst.ns }),
    ...(typeof status === 'number' && { 'tapdeck.status': status }),
    ...((isFailed(call) || error !== undefined) && { 'error.type': errorType(call) }),
  }
}
