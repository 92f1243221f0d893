import { DocsLink } from '../docs/docs-link.tsx'
import { count } from '../format/amount.ts'
import { latency } from '../format/duration.ts'
import { dateTime } from '../format/time.ts'
import type { CallChartData, Percentile } from './call-chart-data.ts'
import { type MissedTime, missedAt } from './missed-times.ts'

export interface TimeReadoutProps {
  readonly chart: CallChartData
  readonly missed: readonly MissedTime[]
  /** The bucket under the pointer; without, the sums of the window. */
  readonly bucket: number | undefined
  readonly percentile: Percentile
  /** The figures are of indexed calls, not of all that is searched. */
  readonly isIndexed: boolean
}

/** The figures of the chart as text: of one bucket, or of all, with what is missing and why. */
export function TimeReadout({ chart, missed, bucket, percentile, isIndexed }: TimeReadoutProps) {
  const middle = bucket === undefined ? undefined : chart.times[bucket]
  const isOne = bucket !== undefined && middle !== undefined
  const start = (middle ?? 0) * 1000 - chart.widthMs / 2
  const here = isOne ? missedAt(missed, { start, end: start + chart.widthMs }) : missed
  const calls = isOne ? (chart.calls[bucket] ?? 0) : sum(chart.calls)
  const errors = isOne ? (chart.errors[bucket] ?? 0) : sum(chart.errors)
  const slow = isOne ? chart.latencies[bucket] : undefined
  return (
    <p className="time-readout">
      {isOne && (
        <span>
          <b>{dateTime(start).slice(11)}</b> + {chart.widthMs / 1000} s
        </span>
      )}
      <span>
        <i className="swatch calls" />
        <b>{count(calls)}</b> {isIndexed ? 'indexed calls' : calls === 1 ? 'call' : 'calls'}
      </span>
      <span>
        <i className="swatch errors" />
        <b>{count(errors)}</b> {errors === 1 ? 'error' : 'errors'}
      </span>
      <span>
        <i className="swatch latency" />
        {percentile}
        {slow != null && (
          <>
            {' '}
            <b>{latency(slow)}</b>
          </>
        )}
      </span>
      {here.length > 0 && (
        <span className="missed" title={here.map(({ text }) => text).join('\n')}>
          Hatched:{' '}
          {here.length === 1 || isOne ? here[0]?.text : `${here.length} times with something missing`}{' '}
          <DocsLink to="missing-data:reasons-of-gaps">Why?</DocsLink>
        </span>
      )}
    </p>
  )
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
