import type { Telemetry } from '../telemetry/telemetry.ts'
import type { Samples } from './samples.ts'

/** What is sent to an OpenTelemetry receiver, and what is not. */
export function addTelemetrySamples(page: Samples, { isOn, state }: Telemetry): void {
  page.add('tapdeck_otlp_enabled', 'gauge', '1 if calls are sent to an OpenTelemetry receiver.', isOn ? 1 : 0)
  if (state === undefined) return
  const { calls, skipped, untraced, unsampled, spans, metrics } = state
  const counter = (name: string, help: string, value: number) => page.add(name, 'counter', help, value)
  counter('tapdeck_otlp_calls_total', 'Calls counted for the receiver.', calls)
  counter('tapdeck_otlp_calls_skipped_total', 'Matching calls left out: too many at once.', skipped)
  counter('tapdeck_otlp_calls_untraced_total', 'Calls without a trace in their headers.', untraced)
  counter('tapdeck_otlp_calls_unsampled_total', 'Calls of traces that are not recorded.', unsampled)
  counter('tapdeck_otlp_spans_sent_total', 'Spans that the receiver took.', spans.sent)
  for (const reason of ['over_budget', 'queue_full', 'rejected', 'failed'] as const)
    page.add('tapdeck_otlp_spans_dropped_total', 'counter', 'Spans dropped, by reason.', spans[reason], {
      reason,
    })
  page.add('tapdeck_otlp_spans_waiting', 'gauge', 'Spans that wait for the receiver.', spans.waiting)
  counter('tapdeck_otlp_metrics_sent_total', 'Exports of metrics that the receiver took.', metrics.sent)
  counter('tapdeck_otlp_metrics_failed_total', 'Exports of metrics that failed.', metrics.failed)
}
