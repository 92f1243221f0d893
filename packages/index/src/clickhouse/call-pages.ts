import { CallRecord } from '@tapdeck/dissect'
import { clickhouseDialect, type Filter, type SqlColumns, type SqlFilter, toSql } from '@tapdeck/kfl'
import {
  type CallPage,
  type CallQuery,
  fromCursor,
  type Position,
  type TimeWindow,
  toCursor,
} from '@tapdeck/questions'
import type { CallStart } from '../call-index.ts'
import { candidates, type Search, windowSql } from './candidates.ts'
import { quote } from './quote.ts'
import type { Reading } from './reading.ts'
import { StoredCall, storedColumns } from './stored-call.ts'
import { BY_FLOW } from './tables.ts'

/**
 * Candidates that are read and checked for one answer, where a filter needs more than columns. A page that reaches
 * this ends early, with a cursor to go on from.
 */
const MAX_CHECKED = 50_000

export function filterSql(filter: Filter, columns: SqlColumns): SqlFilter {
  return toSql(filter, columns, clickhouseDialect)
}

export async function callPage(reading: Reading, columns: SqlColumns, query: CallQuery): Promise<CallPage> {
  const { where, exact } = filterSql(query.filter, columns)
  const identity = JSON.stringify([query.filter.text, query.order, query.start, query.end])
  const after = query.cursor === undefined ? undefined : fromCursor(query.cursor, identity)
  const search = {
    ...query,
    where,
    batch: exact ? query.limit + 1 : Math.max(query.limit, 256),
    ...(after && { after }),
  }
  const [{ calls, more }, total] = await Promise.all([
    find(reading, search, query.limit, exact ? undefined : query.filter),
    exact ? countExactly(reading, where, query) : undefined,
  ])
  const whole = after === undefined && more === undefined
  return {
    calls: calls.map(({ record }) => record),
    cursors: calls.map(({ position }) => toCursor(position, identity)),
    total: whole ? calls.length : (total ?? calls.length),
    total_is: whole || total !== undefined ? 'exact' : 'at_least',
    ...(more && { next_cursor: toCursor(more, identity) }),
  }
}

interface Found {
  readonly calls: readonly { readonly record: CallRecord; readonly position: Position }[]
  /** Where to go on, where there may be more. */
  readonly more?: Position
}

/** The first calls of a search, up to a limit; each checked with the filter where one is given. */
async function find(
  reading: Reading,
  search: Search,
  limit: number,
  filter: Filter | undefined,
): Promise<Found> {
  const calls: { record: CallRecord; position: Position }[] = []
  let last: Position | undefined
  let checked = 0
  for await (const call of candidates(reading, search)) {
    if (last && (calls.length === limit || checked === MAX_CHECKED)) return { calls, more: last }
    last = call.position
    const record = new CallRecord(call)
    if (filter) checked++
    if (filter === undefined || filter.matches(record)) calls.push({ record, position: call.position })
  }
  return { calls }
}

/** How many calls match. Of a filter that needs more than columns, among the newest candidates only. */
export async function countCalls(
  reading: Reading,
  columns: SqlColumns,
  filter: Filter,
  window: TimeWindow,
): Promise<number> {
  const { where, exact } = filterSql(filter, columns)
  if (exact) return countExactly(reading, where, window)
  let count = 0
  let checked = 0
  for await (const call of candidates(reading, { ...window, where, order: 'newest', batch: 512 })) {
    if (checked++ === MAX_CHECKED) break
    if (filter.matches(new CallRecord(call))) count++
  }
  return count
}

async function countExactly(reading: Reading, where: string, window: TimeWindow): Promise<number> {
  const conditions = [reading.ofNode(), where, ...windowSql(window)]
  const [[count]] = await reading.connection.rows(
    `SELECT count() FROM ${reading.calls} AS c WHERE ${conditions.join(' AND ')}`,
  )
  return Number(count)
}

/** One call by its node, its flow and its place in it. */
export async function oneCall(
  reading: Reading,
  node: string,
  flow: number,
  ordinal: number,
): Promise<CallRecord | undefined> {
  const isIt = `c.node = ${quote(node)} AND c.flow = ${flow} AND c.ordinal = ${ordinal}`
  const [row] = await reading.connection.rows(
    `SELECT ${storedColumns} FROM ${reading.calls} AS c
     WHERE ${isIt} AND c.ts = (SELECT c.ts FROM ${reading.calls} AS c WHERE ${isIt} LIMIT 1) LIMIT 1 ${BY_FLOW}`,
  )
  if (row === undefined) return undefined
  const call = new StoredCall(row, reading)
  await Promise.all([
    reading.flowStates?.load([call]),
    reading.late?.load([call]),
    reading.handshakes?.load([call]),
  ])
  return new CallRecord(call)
}

/** The calls that began in `[from, to)`, in microseconds, with nothing but their ends. */
export async function callStarts(reading: Reading, from: number, to: number): Promise<readonly CallStart[]> {
  const rows = await reading.connection.rows(
    `SELECT c.ts, c.src_ip, c.src_port, c.dst_ip, c.dst_port FROM ${reading.calls} AS c
     WHERE ${reading.ofNode()} AND c.ts >= toFloat64(${from}) AND c.ts < toFloat64(${to})`,
  )
  return rows.map(([time, srcIp, srcPort, dstIp, dstPort]) => ({
    time: Number(time),
    src: { ip: String(srcIp), port: Number(srcPort) },
    dst: { ip: String(dstIp), port: Number(dstPort) },
  }))
}
