/** What `readOtlp` returns, as far as tests read it: 64-bit numbers are text. */
type Value = { readonly stringValue?: string; readonly intValue?: string; readonly boolValue?: boolean }
export type KeyValues = readonly { readonly key: string; readonly value: Value }[]

interface Resource {
  readonly attributes: KeyValues
}

export interface PlainSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly status: { readonly code?: number }
  readonly attributes: KeyValues
}

export interface ReceivedSpan extends PlainSpan {
  readonly resource: Readonly<Record<string, unknown>>
}

export interface ReceivedPoint {
  readonly attributes: KeyValues
  readonly startTimeUnixNano: string
  readonly timeUnixNano: string
  readonly asInt?: string
  readonly asDouble?: number
  readonly count?: string
  readonly sum?: number
  readonly min?: number
  readonly max?: number
  readonly bucketCounts?: readonly string[]
  readonly explicitBounds?: readonly number[]
}

interface Points {
  readonly aggregationTemporality: number
  readonly isMonotonic?: boolean
  readonly dataPoints: readonly ReceivedPoint[]
}

export interface ReceivedMetric {
  readonly name: string
  readonly unit?: string
  readonly sum?: Points
  readonly histogram?: Points
}

export interface Traces {
  readonly resourceSpans?: readonly {
    readonly resource: Resource
    readonly scopeSpans: readonly { readonly spans: readonly PlainSpan[] }[]
  }[]
}

export interface Metrics {
  readonly resourceMetrics?: readonly {
    readonly resource: Resource
    readonly scopeMetrics: readonly { readonly metrics: readonly ReceivedMetric[] }[]
  }[]
}

/** Attributes as an object. */
export function plain(attributes: KeyValues = []): Record<string, unknown> {
  return Object.fromEntries(
    attributes.map(({ key, value: { stringValue, intValue, boolValue } }) => [
      key,
      stringValue ?? (intValue === undefined ? boolValue : Number(intValue)),
    ]),
  )
}
