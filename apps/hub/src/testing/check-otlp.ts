import { NotOtlp } from './otlp-definitions.ts'
import type { Metrics, ReceivedMetric, ReceivedPoint, Traces } from './otlp-shapes.ts'

const CUMULATIVE = 2
const MAX_KIND = 5

/** Rules that the comments of the definitions state, and types cannot: of ids, times, buckets and cumulative sums. */
export function checkTraces({ resourceSpans = [] }: Traces): void {
  for (const { resource, scopeSpans } of resourceSpans) {
    checkKeys(resource.attributes, 'resource')
    for (const span of scopeSpans.flatMap(({ spans }) => spans)) {
      const fail = requireIn(`span ${span.name}`)
      fail(span.name !== '', 'has no name')
      fail(/[1-9a-f]/.test(span.traceId) && /[1-9a-f]/.test(span.spanId), 'has an id of zeros')
      fail(span.parentSpanId !== span.spanId, 'is its own parent')
      fail(span.kind > 0 && span.kind <= MAX_KIND, `has the kind ${span.kind}`)
      fail(BigInt(span.startTimeUnixNano) > 0n, 'has no start')
      fail(BigInt(span.endTimeUnixNano) >= BigInt(span.startTimeUnixNano), 'ends before it starts')
      checkKeys(span.attributes, span.name)
    }
  }
}

/** Also remembers the series of earlier requests: cumulative values never shrink, and keep their start. */
export class MetricRules {
  readonly #last = new Map<
    string,
    { readonly start: string; readonly time: bigint; readonly count: number }
  >()

  check({ resourceMetrics = [] }: Metrics): void {
    for (const { resource, scopeMetrics } of resourceMetrics) {
      checkKeys(resource.attributes, 'resource')
      for (const metric of scopeMetrics.flatMap(({ metrics }) => metrics)) this.#metric(metric)
    }
  }

  #metric({ name, sum, histogram }: ReceivedMetric): void {
    const fail = requireIn(name)
    const data = sum ?? histogram
    fail(data !== undefined, 'is neither a sum nor a histogram')
    fail(data?.aggregationTemporality === CUMULATIVE, 'is not cumulative')
    fail(sum === undefined || sum.isMonotonic === true, 'is not monotonic')
    const seen = new Set<string>()
    for (const point of data?.dataPoints ?? []) {
      checkKeys(point.attributes, name)
      if (histogram) checkBuckets(point, fail)
      const series = JSON.stringify([name, point.attributes])
      fail(!seen.has(series), 'has a series twice')
      seen.add(series)
      this.#cumulative(series, point, fail)
    }
  }

  #cumulative(series: string, point: ReceivedPoint, fail: Rule): void {
    const count = Number(point.count ?? point.asInt ?? point.asDouble)
    const time = BigInt(point.timeUnixNano)
    const start = point.startTimeUnixNano
    const before = this.#last.get(series)
    fail(BigInt(start) > 0n && BigInt(start) <= time, 'has no start, or one after its time')
    fail(Number.isFinite(count) && count >= 0, 'has no value')
    // A new start means that counting began again.
    if (before?.start === start)
      fail(count >= before.count && time >= before.time, 'shrank, or went back in time')
    this.#last.set(series, { start, time, count })
  }
}

function checkBuckets(
  { count, sum, min, max, bucketCounts = [], explicitBounds = [] }: ReceivedPoint,
  fail: Rule,
) {
  const all = bucketCounts.reduce((total, one) => total + BigInt(one), 0n)
  fail(bucketCounts.length === explicitBounds.length + 1, 'has not one bucket more than bounds')
  fail(all === BigInt(count ?? -1), `counts ${count}, and ${all} in its buckets`)
  fail(
    explicitBounds.every((bound, i) => i === 0 || bound > explicitBounds[i - 1]!),
    'has bounds that do not grow',
  )
  fail(sum !== undefined && sum >= 0, 'has no sum')
  if (min !== undefined && max !== undefined && all > 0n)
    fail(min <= max && sum! >= max, 'has a wrong min or max')
}

type Rule = (holds: boolean, problem: string) => void

function requireIn(what: string): Rule {
  return (holds, problem) => {
    if (!holds) throw new NotOtlp(`${what} ${problem}`)
  }
}

function checkKeys(
  attributes: readonly { readonly key: string; readonly value?: object }[] = [],
  what: string,
): void {
  const fail = requireIn(what)
  fail(new Set(attributes.map(({ key }) => key)).size === attributes.length, 'has an attribute twice')
  for (const { key, value } of attributes)
    fail(key !== '' && value !== undefined && Object.keys(value).length === 1, `has no value for ${key}`)
}
