import 'uplot/dist/uPlot.min.css'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import uPlot from 'uplot'
import { count } from '../format/amount.ts'
import { latency } from '../format/duration.ts'
import { brushed, type TimeWindow } from '../time/time-window.ts'
import { useSize } from '../ui/use-size.ts'
import { axisTimes } from './axis-time.ts'
import type { CallChartData } from './call-chart-data.ts'
import { type ChartColors, useChartColors } from './chart-colors.ts'
import { hatch } from './hatch.ts'
import type { MissedTime } from './missed-times.ts'

export interface CallChartProps {
  readonly data: CallChartData
  readonly window: TimeWindow
  readonly missed: readonly MissedTime[]
  /** What the chart shows, in words. */
  readonly label: string
  readonly onBrush: (window: TimeWindow) => void
  /** The bucket under the pointer or chosen by key. */
  readonly onPoint: (bucket: number | undefined) => void
}

type Current = Pick<CallChartProps, 'window' | 'missed' | 'onBrush' | 'onPoint'>

const HEIGHT_PX = 92
const CALLS_AXIS_PX = 44
const LATENCY_AXIS_PX = 54

/** Calls and failures as bars, latency as a line, and hatched times of which nothing is known. Dragging selects a window. */
export function CallChart(props: CallChartProps) {
  const { data, window, missed, label, onBrush, onPoint } = props
  const place = useRef<HTMLDivElement>(null)
  const chart = useRef<uPlot>(undefined)
  const current = useRef<Current>(props)
  const newest = useRef(data)
  /** New data would move the axis under the pointer and end the selection. */
  const [isDragging, setIsDragging] = useState(false)
  const width = useSize(place)?.width
  const colors = useChartColors()
  current.current = { window, missed, onBrush, onPoint }
  newest.current = data

  useEffect(() => {
    if (!place.current) return
    const plot = new uPlot(
      optionsOf(colors, current, place.current.clientWidth),
      columnsOf(newest.current),
      place.current,
    )
    chart.current = plot
    return () => {
      chart.current = undefined
      plot.destroy()
    }
  }, [colors])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the window and the missed times are drawn as well
  useEffect(() => {
    if (!isDragging) chart.current?.setData(columnsOf(data), true)
  }, [data, window, missed, isDragging])
  useEffect(() => {
    if (!isDragging) return
    const end = () => setIsDragging(false)
    addEventListener('mouseup', end)
    return () => {
      removeEventListener('mouseup', end)
    }
  }, [isDragging])
  useEffect(() => {
    if (width) chart.current?.setSize({ width, height: HEIGHT_PX })
  }, [width])

  const onKeyDown = (event: KeyboardEvent) => {
    const plot = chart.current
    const at = plot?.cursor.idx
    if (!plot || event.ctrlKey || event.metaKey || event.altKey) return
    if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
      const last = data.times.length - 1
      const next = at == null ? last : Math.min(last, Math.max(0, at + (event.key === 'ArrowLeft' ? -1 : 1)))
      moveTo(plot, data.times[next])
    } else if (event.key === 'Enter' && at != null) {
      const middle = (data.times[at] ?? 0) * 1000
      const chosen = brushed(middle - data.widthMs / 2, middle + data.widthMs / 2)
      if (chosen) onBrush(chosen)
    } else return
    event.preventDefault()
    event.stopPropagation()
  }

  return (
    <div
      ref={place}
      className="call-chart"
      role="img"
      aria-label={label}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the arrow keys move through its buckets
      tabIndex={0}
      onKeyDown={onKeyDown}
      onMouseDown={() => setIsDragging(true)}
      onBlur={() => onPoint(undefined)}
    />
  )
}

function moveTo(plot: uPlot, time: number | undefined): void {
  if (time !== undefined) plot.setCursor({ left: plot.valToPos(time, 'x'), top: plot.rect.height / 2 })
}

function columnsOf({ times, calls, errors, latencies }: CallChartData): uPlot.AlignedData {
  return [times, calls, errors, latencies]
}

function optionsOf(
  colors: ChartColors,
  current: { readonly current: Current },
  width: number,
): uPlot.Options {
  const bars = uPlot.paths.bars?.({ size: [0.86, 24] })
  const axis = { stroke: colors.axis, font: '11px system-ui, sans-serif', ticks: { show: false } }
  return {
    width,
    height: HEIGHT_PX,
    padding: [8, 0, 0, 0],
    legend: { show: false },
    cursor: { y: false, drag: { x: true, y: false, setScale: false }, points: { show: false } },
    scales: {
      x: { time: true, range: () => secondsOf(current.current.window) },
      calls: { range: (_, __, most) => [0, Math.max(most ?? 0, 1) * 1.05] },
      latency: { range: (_, __, most) => [0, Math.max(most ?? 0, 0.001) * 1.1] },
    },
    axes: [
      {
        ...axis,
        size: 20,
        gap: 2,
        grid: { show: false },
        values: (plot, splits) =>
          axisTimes(splits, secondsOf(current.current.window), plot.width - CALLS_AXIS_PX - LATENCY_AXIS_PX),
      },
      {
        ...axis,
        scale: 'calls',
        size: CALLS_AXIS_PX,
        gap: 4,
        space: 26,
        grid: { stroke: colors.grid, width: 1 },
        values: (_, splits) => splits.map((value) => (Number.isInteger(value) ? count(value) : '')),
      },
      {
        ...axis,
        scale: 'latency',
        side: 1,
        size: LATENCY_AXIS_PX,
        gap: 4,
        space: 26,
        grid: { show: false },
        values: (_, splits) => splits.map((value) => latency(value)),
      },
    ],
    series: [
      {},
      { scale: 'calls', fill: colors.calls, width: 0, ...(bars && { paths: bars }), points: { show: false } },
      {
        scale: 'calls',
        fill: colors.errors,
        width: 0,
        ...(bars && { paths: bars }),
        points: { show: false },
      },
      {
        scale: 'latency',
        stroke: colors.latency,
        width: 1.5,
        // With a rim: a single value is seen on a bar of any colour.
        points: { show: true, size: 5, width: 1, stroke: colors.ground, fill: colors.latency },
      },
    ],
    hooks: {
      drawClear: [(plot) => drawMissed(plot, current.current.missed, colors)],
      setSelect: [(plot) => takeBrush(plot, current.current.onBrush)],
      setCursor: [(plot) => current.current.onPoint(plot.cursor.idx ?? undefined)],
    },
  }
}

function secondsOf({ start, end }: TimeWindow): [number, number] {
  return [start / 1000, end / 1000]
}

function takeBrush(plot: uPlot, onBrush: CallChartProps['onBrush']): void {
  const { left, width } = plot.select
  if (width <= 0) return
  const chosen = brushed(plot.posToVal(left, 'x') * 1000, plot.posToVal(left + width, 'x') * 1000)
  plot.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false)
  if (chosen) onBrush(chosen)
}

function drawMissed(plot: uPlot, missed: readonly MissedTime[], colors: ChartColors): void {
  const { ctx, bbox } = plot
  for (const kind of ['unindexed', 'lost'] as const) {
    const times = missed.filter((time) => time.kind === kind)
    if (times.length === 0) continue
    ctx.save()
    ctx.fillStyle = hatch(ctx, colors[kind])
    for (const { start, end } of times) {
      const left = Math.max(plot.valToPos(start / 1000, 'x', true), bbox.left)
      const right = Math.min(plot.valToPos(end / 1000, 'x', true), bbox.left + bbox.width)
      ctx.fillRect(left, bbox.top, Math.max(right - left, 2), bbox.height)
    }
    ctx.restore()
  }
}
