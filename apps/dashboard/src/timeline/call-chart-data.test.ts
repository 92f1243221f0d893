import { expect, test } from 'vitest'
import { callChartData } from './call-chart-data.ts'

const at = (second: number) => new Date(second * 1000).toISOString()
const group = (second: number, calls: number, more: object = {}) => ({
  group: at(second),
  calls,
  errors: 0,
  capture_errors: 0,
  rate: calls / 5,
  ...more,
})

test('times without calls are in the chart as well, to both ends of the window', () => {
  const groups = [group(110, 5, { latency_p90_ms: 4 }), group(120, 10, { latency_p90_ms: 8 })]
  const data = callChartData(groups, { start: 101_000, end: 128_000 }, 'p90')
  expect(data).toEqual({
    widthMs: 5000,
    times: [102.5, 107.5, 112.5, 117.5, 122.5, 127.5],
    calls: [0, 0, 5, 0, 10, 0],
    errors: [0, 0, 0, 0, 0, 0],
    latencies: [null, null, 4, null, 8, null],
  })
})

test('calls that the capture has only in part are no errors', () => {
  const groups = [group(0, 10, { errors: 4, capture_errors: 3 })]
  expect(callChartData(groups, { start: 0, end: 5000 }, 'p50').errors).toEqual([1])
})

test('a window without calls is a flat line, and a long one has bounded size', () => {
  expect(callChartData([], { start: 0, end: 3000 }, 'p99').calls).toEqual([0, 0, 0])
  expect(callChartData([], { start: 0, end: 1e12 }, 'p99').times.length).toBeLessThanOrEqual(2000)
})
