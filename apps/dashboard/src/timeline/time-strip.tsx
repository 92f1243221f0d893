import './time-strip.css'
import { useMemo, useState } from 'react'
import type { Address } from '../address/address.ts'
import { go } from '../address/use-address.ts'
import { useCaller } from '../client/caller.ts'
import { hubNow } from '../client/hub-clock.ts'
import { useCallsOverTime } from '../client/use-hub.ts'
import { countOf } from '../format/amount.ts'
import { timeWindow } from '../format/time.ts'
import { KeepButton } from '../keep/keep-button.tsx'
import { lastWindow, type Span, spanMs, type TimeWindow, zoomOut } from '../time/time-window.ts'
import { Button } from '../ui/button.tsx'
import { CallChart } from './call-chart.tsx'
import { callChartData, type Percentile, percentiles } from './call-chart-data.ts'
import { missedTimes } from './missed-times.ts'
import { RangePicker } from './range-picker.tsx'
import { TimeReadout } from './time-readout.tsx'

type TimeAddress = Pick<Address, 'db' | 'kfl' | 'start' | 'end' | 'last'>

/** What of the past is searched first where no window is given. */
const RECORDING_SPAN: Span = '5m'

/** The time that a view shows: a picker, calls over time with failures and latency, and what is missing of it. */
export function TimeStrip({ address }: { readonly address: TimeAddress }) {
  const { db, start, end, last } = address
  const caller = useCaller()
  const [percentile, setPercentile] = useState<Percentile>('p95')
  const [bucket, setBucket] = useState<number>()
  const isRecording = db === 'recording'
  const isDissection = db !== undefined && !isRecording
  const isFixed = start !== undefined && end !== undefined
  // Recorded packets have no index: their shape comes from what was indexed live at that time.
  const question = useQuestion(address)
  const mayCount = isDissection || caller.can('dissection:live')
  const { data, isPlaceholderData } = useCallsOverTime(question, mayCount)
  const shown = useMemo(() => data && shownWindow(data), [data])
  const chart = useMemo(
    () => data && shown && callChartData(data.page.groups, shown, percentile),
    [data, shown, percentile],
  )
  const missed = useMemo(
    () => (data && shown ? missedTimes(data.page.incomplete ?? [], shown) : []),
    [data, shown],
  )
  const window = isFixed
    ? { start, end }
    : (shown ?? lastWindow(isRecording ? RECORDING_SPAN : last, hubNow()))

  const show = ({ start, end }: TimeWindow) => go({ start, end, call: undefined })
  const toSpan = (span: Span) => {
    if (isRecording) show(lastWindow(span, hubNow()))
    else go({ last: span, start: undefined, end: undefined, call: undefined })
  }
  const outwards = () => {
    const longer = spanAfter(last)
    if (isFixed || isRecording) show(zoomOut(window, hubNow()))
    else if (longer) toSpan(longer)
  }
  const text = isFixed
    ? timeWindow(start, end)
    : isDissection
      ? 'All of it'
      : `Last ${isRecording ? RECORDING_SPAN : last}`

  return (
    <section className="time-strip" aria-label="Time">
      <div className="time-head">
        <RangePicker
          text={!isFixed && db === undefined ? `Live, last ${last}` : text}
          shown={window}
          span={isFixed || db !== undefined ? undefined : last}
          spanTitle={(span) => (isRecording ? `Last ${span}` : `Live, last ${span}`)}
          onSpan={toSpan}
          onWindow={show}
          onWhole={isDissection ? () => go({ start: undefined, end: undefined, call: undefined }) : undefined}
          withRecorded={isRecording && caller.can('snapshot:read')}
        />
        {(!isDissection || isFixed) && (
          <Button
            icon="zoomOut"
            look="bare"
            onClick={outwards}
            reason={!isFixed && !isRecording && !spanAfter(last) ? 'This is the longest span.' : undefined}
          >
            Zoom out
          </Button>
        )}
        {isFixed && db === undefined && (
          <Button icon="play" onClick={() => toSpan(last)} title="Shows calls as they happen">
            Back to live
          </Button>
        )}
        {chart && (
          <TimeReadout
            chart={chart}
            missed={missed}
            bucket={bucket}
            percentile={percentile}
            isIndexed={isRecording}
          />
        )}
        <span className="grow" />
        {chart && (
          <select
            className="select percentile"
            aria-label="Latency in the chart"
            value={percentile}
            onChange={({ target }) => setPercentile(percentiles.find((one) => one === target.value) ?? 'p95')}
          >
            {percentiles.map((one) => (
              <option key={one} value={one}>
                {one} latency
              </option>
            ))}
          </select>
        )}
        {!isDissection && <KeepButton window={() => (isFixed ? window : lastWindow(last, hubNow()))} />}
      </div>
      {chart && shown ? (
        <div className={isPlaceholderData ? 'stale' : undefined}>
          <CallChart
            data={chart}
            window={shown}
            missed={missed}
            label={`Calls over time, ${timeWindow(shown.start, shown.end)}: ${countOf(sum(chart.calls), 'call')}, ${countOf(sum(chart.errors), 'error')}. The arrow keys move, Enter zooms in.`}
            onBrush={show}
            onPoint={setBucket}
          />
        </div>
      ) : (
        <div className="chart-empty">{data && 'No calls in this time.'}</div>
      )}
    </section>
  )
}

function useQuestion({ db, kfl, start, end, last }: TimeAddress) {
  return useMemo(() => {
    if (db !== 'recording') return { db, kfl, start, end, last }
    return { db: undefined, kfl, start, end, last: RECORDING_SPAN }
  }, [db, kfl, start, end, last])
}

/** The window that the figures are of; all of a dissection where none was asked for. */
function shownWindow({ page, window }: NonNullable<ReturnType<typeof useCallsOverTime>['data']>) {
  if (window.start !== undefined && window.end !== undefined) return { start: window.start, end: window.end }
  const first = page.groups[0]
  const last = page.groups.at(-1)
  if (!first || !last) return undefined
  const widthMs = last.rate > 0 ? (last.calls / last.rate) * 1000 : 1000
  return { start: Date.parse(first.group), end: Date.parse(last.group) + widthMs }
}

function spanAfter(span: Span): Span | undefined {
  const spans = ['15m', '1h', '6h', '24h'] as const
  return spans.find((one) => spanMs(one) > spanMs(span))
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0)
}
