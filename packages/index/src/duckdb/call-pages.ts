import type { DuckDBValue } from '@duckdb/node-api'
import { CallRecord } from '@tapdeck/dissect'
import type { Filter, SqlColumns } from '@tapdeck/kfl'
import { toSql } from '@tapdeck/kfl'
import {
  type CallPage,
  type CallQuery,
  fromCursor,
  type Position,
  type TimeWindow,
  toCursor,
} from '@tapdeck/questions'
import { callsWith } from './call-columns.ts'
import { candidates, overlaps, type Reading, type Search, windowSql } from './candidates.ts'
import type { Chunk, Counted } from './chunk.ts'
import { groupsOf } from './collect.ts'
import { PLAIN_PROTO } from './schema.ts'
import { StoredCall, storedColumnsOfOne } from './stored-call.ts'

/**
 * Candidates that are read and checked for one answer, where a filter needs more than columns. A page that reaches
 * this ends early, with a cursor to go on from.
 */
const MAX_CHECKED = 50_000
/** Rows that are counted for one answer; what was counted once is remembered, rows only ever come after it. */
const MAX_COUNTED = 2_000_000
/** Counts remembered of a chunk. */
const MAX_REMEMBERED = 256

export async function callPage(reading: Reading, columns: SqlColumns, query: CallQuery): Promise<CallPage> {
  const { where, exact } = toSql(query.filter, columns)
  const identity = JSON.stringify([query.filter.text, query.order, query.start, query.end])
  const after = query.cursor === undefined ? undefined : fromCursor(query.cursor, identity)
  const search = {
    ...query,
    where,
    batch: exact ? query.limit + 1 : Math.max(query.limit, 256),
    ...(after && { after }),
  }
  const [found, counted] = await Promise.all([
    find(reading, search, query.limit, exact ? undefined : query.filter),
    exact ? countExactly(reading, where, query) : undefined,
  ])
  const { calls, more } = found
  const whole = after === undefined && more === undefined
  return {
    calls: calls.map(({ record }) => record),
    cursors: calls.map(({ position }) => toCursor(position, identity)),
    ...(whole
      ? { total: calls.length, total_is: 'exact' }
      : (counted ?? { total: calls.length, total_is: 'at_least' })),
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
  for await (const { call } of candidates(reading, search)) {
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
  const { where, exact } = toSql(filter, columns)
  if (exact) return (await countExactly(reading, where, window, Number.POSITIVE_INFINITY)).total
  let count = 0
  let checked = 0
  for await (const { call } of candidates(reading, { ...window, where, order: 'newest', batch: 512 })) {
    if (checked++ === MAX_CHECKED) break
    if (filter.matches(new CallRecord(call))) count++
  }
  return count
}

/** How many calls a condition on columns lets through; `most` rows are looked at, where not known from before. */
export async function countExactly(
  { engine, chunks }: Reading,
  where: string,
  window: TimeWindow,
  most = MAX_COUNTED,
): Promise<Pick<CallPage, 'total' | 'total_is'>> {
  let total = 0
  let counted = 0
  for (const { counts, database, counted: known } of chunks.toReversed()) {
    const { calls } = counts
    if (calls === 0 || !overlaps(counts.oldest, counts.newest, window)) continue
    const within = inside(counts.oldest, counts.newest, window)
    if (where === 'true' && within) {
      total += calls
      continue
    }
    const key = [where, ...(within ? [] : windowSql(window))].join(' AND ')
    const before = known.get(key) ?? { rows: 0, count: 0 }
    let { count } = before
    if (before.rows < calls) {
      if (counted >= most) return { total, total_is: 'at_least' }
      counted += calls - before.rows
      const fresh = `c.rowid >= ${before.rows} AND c.rowid < ${calls}`
      const [[more]] = await engine.rows(
        `SELECT count(*) FROM ${callsWith(database, where)} WHERE ${fresh} AND ${key}`,
      )
      count += Number(more)
      remember(known, key, { rows: calls, count })
    }
    total += count
  }
  return { total, total_is: 'exact' }
}

function inside(oldest: number, newest: number, { start, end }: TimeWindow): boolean {
  return (start === undefined || oldest >= start * 1000) && (end === undefined || newest <= end * 1000)
}

function remember(known: Map<string, Counted>, key: string, count: Counted): void {
  if (known.size >= MAX_REMEMBERED) known.clear()
  known.set(key, count)
}

/** One call by its flow and place in it. */
export async function oneCall(
  reading: Reading,
  flow: number,
  ordinal: number,
): Promise<CallRecord | undefined> {
  const { names, common } = reading
  const id = `flow = ${flow} AND ordinal = ${ordinal}`
  const [unlisted, listed] = await Promise.all([
    Promise.all(
      reading.chunks.filter((chunk) => !chunk.listed).map((chunk) => placeUnlisted(reading, chunk, id)),
    ),
    placeListed(reading, id),
  ])
  const found = unlisted.findLast((place) => place !== undefined) ?? listed
  if (found === undefined) return undefined
  const { chunk, row, proto } = found
  const known = await names.of(chunk)
  const [[stored]] = await Promise.all([
    // Its id again beside its place: with it only that stretch of the other columns is unpacked.
    reading.engine.rows(
      `SELECT ${storedColumnsOfOne} FROM ${chunk.database}.calls c WHERE rowid = ${row} AND ${id}`,
    ),
    common.flows?.loadOne({ flow_id: flow, proto: known.words.text(proto) }, chunk),
    common.late?.load(chunk),
  ])
  return stored && new CallRecord(new StoredCall(stored, known, chunk.segment, common))
}

/** Where a call stands, and what it speaks. */
interface Place {
  readonly chunk: Chunk
  readonly row: number
  readonly proto: number
}

/** The newest chunks first: of them more is asked for. */
async function placeListed({ engine, chunks }: Reading, id: string): Promise<Place | undefined> {
  const listed = chunks.filter((chunk) => chunk.listed)
  for (const group of groupsOf(engine, listed.toReversed())) {
    const each = group.map(({ database }, at) => `SELECT row, proto, ${at} FROM ${database}.ids WHERE ${id}`)
    const [place] = await engine.rows(each.join(' UNION ALL '))
    if (place !== undefined) return placeOf(place, (at) => group[at])
  }
  return undefined
}

async function placeUnlisted({ engine }: Reading, chunk: Chunk, id: string): Promise<Place | undefined> {
  const [place] = await engine.rows(
    `SELECT rowid, ${PLAIN_PROTO} FROM ${chunk.database}.calls WHERE ${id} LIMIT 1`,
  )
  return placeOf(place, () => chunk)
}

function placeOf(
  place: readonly DuckDBValue[] | undefined,
  chunkAt: (place: number) => Chunk,
): Place | undefined {
  if (place === undefined) return undefined
  const [row, proto, at] = place.map(Number)
  return { chunk: chunkAt(at), row, proto }
}
