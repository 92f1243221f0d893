import { z } from 'zod'
import { isCount, isTime, isWritable } from './link-values.ts'

type Row = Readonly<Record<string, unknown>>

/**
 * Rows of answers. There are up to 10,000 in one answer, so these are plain checks in place: schemas of every field
 * would copy each row and cost several times as much. Fields that no code of the hub reads are only checked to be
 * data that can be written as JSON.
 */
export const callRow = rows('a call', isCall)
export const groupRow = rows('a group', isGroup)
export const flowRow = rows('a flow', isFlow)
export const eventRow = z.custom<{ readonly ts: number }>(isEvent, 'this is not an event')

function rows(what: string, isOne: (row: unknown) => boolean) {
  return z.custom<unknown>(isOne, `this is not ${what}`)
}

/** Whether it is a call, compact or whole. */
export function isCall(row: unknown): boolean {
  return (
    isObject(row) &&
    typeof row.id === 'string' &&
    isTime(row.ts) &&
    isEndpoint(row.src) &&
    isEndpoint(row.dst) &&
    typeof row.proto === 'string' &&
    isOptional(row.method, 'string') &&
    isOptional(row.path, 'string') &&
    isOptional(row.error, 'string') &&
    isOptional(row.connection_end, 'string') &&
    (row.delivery === undefined || row.delivery === 'unacknowledged') &&
    isOptional(row.decrypted, 'boolean') &&
    isOptionalCount(row.latency_ms) &&
    isOptionalCount(row.ttfb_ms) &&
    (row.status === undefined || typeof row.status === 'string' || typeof row.status === 'number') &&
    isWritable(row)
  )
}

const TRACE_ID = /^[0-9a-f]{32}$/
const SPAN_ID = /^[0-9a-f]{16}$/

/** A call, and the trace that it belongs to. */
export function isLiveCall(row: unknown): boolean {
  if (!isCall(row)) return false
  const { trace } = row as Row
  if (trace === undefined) return true
  return (
    isObject(trace) &&
    typeof trace.trace_id === 'string' &&
    TRACE_ID.test(trace.trace_id) &&
    typeof trace.span_id === 'string' &&
    SPAN_ID.test(trace.span_id) &&
    typeof trace.sampled === 'boolean'
  )
}

function isEndpoint(end: unknown): boolean {
  return isObject(end) && typeof end.ip === 'string' && isCount(end.port) && isNamed(end)
}

/** The names of an address. */
function isNamed(end: Row): boolean {
  return (
    isOptional(end.pod, 'string') &&
    isOptional(end.ns, 'string') &&
    isOptional(end.svc, 'string') &&
    isOptional(end.node, 'string')
  )
}

const percentiles = [
  'latency_p50_ms',
  'latency_p90_ms',
  'latency_p95_ms',
  'latency_p99_ms',
  'tcp_handshake_p50_us',
  'tcp_handshake_p90_us',
  'tcp_handshake_p99_us',
] as const

function isGroup(row: unknown): boolean {
  return (
    isObject(row) &&
    typeof row.group === 'string' &&
    isOptional(row.ns, 'string') &&
    isCount(row.calls) &&
    isCount(row.errors) &&
    isOptionalCount(row.capture_errors) &&
    isCount(row.rate) &&
    isCount(row.bytes) &&
    isOptionalCount(row.unanswered) &&
    isOptionalCount(row.waited_ms) &&
    isOptionalCount(row.waited_max_ms) &&
    percentiles.every((name) => isOptionalCount(row[name])) &&
    isOptionalDistribution(row.latencies) &&
    isOptionalDistribution(row.handshakes) &&
    isWritable(row)
  )
}

/** Values and how often each occurred. */
function isOptionalDistribution(given: unknown): boolean {
  if (given === undefined) return true
  return (
    isObject(given) &&
    Array.isArray(given.values) &&
    given.values.every((pair) => Array.isArray(pair) && pair.length === 2 && pair.every(isCount))
  )
}

function isFlow(row: unknown): boolean {
  return (
    isObject(row) &&
    typeof row.proto === 'string' &&
    isPeer(row.client) &&
    isPeer(row.server) &&
    isFlowStats(row.client_stats) &&
    isFlowStats(row.server_stats) &&
    isTotals(row.totals) &&
    isCount(row.flows) &&
    isTime(row.start_ts) &&
    isTime(row.last_ts) &&
    isOptionalDistribution(row.handshakes) &&
    isWritable(row)
  )
}

function isPeer(end: unknown): boolean {
  return isObject(end) && isOptional(end.ip, 'string') && isOptionalCount(end.port) && isNamed(end)
}

function isFlowStats(stats: unknown): boolean {
  return (
    isObject(stats) &&
    isCount(stats.tx_pkts) &&
    isCount(stats.rx_pkts) &&
    isCount(stats.tx_bytes) &&
    isCount(stats.rx_bytes) &&
    percentiles.every((name) => isOptionalCount(stats[name]))
  )
}

function isTotals(totals: unknown): boolean {
  return (
    isObject(totals) &&
    isCount(totals.pkts) &&
    isCount(totals.bytes) &&
    isCount(totals.pps) &&
    isCount(totals.bps)
  )
}

function isEvent(row: unknown): boolean {
  return (
    isObject(row) &&
    isTime(row.ts) &&
    row.kind === 'os' &&
    typeof row.type === 'string' &&
    isOptional(row.node, 'string') &&
    isWritable(row)
  )
}

function isObject(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isOptional(value: unknown, type: 'string' | 'boolean'): boolean {
  return value === undefined || typeof value === type
}

function isOptionalCount(value: unknown): boolean {
  return value === undefined || isCount(value)
}
