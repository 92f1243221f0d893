import { setImmediate } from 'node:timers/promises'
import type { Position, TimeWindow } from '@tapdeck/questions'
import { byTime, IN_ORDER } from './by-time.ts'
import type { Reading } from './reading.ts'
import { StoredCall, storedColumns } from './stored-call.ts'

/** Which rows, in which order, from where on. */
export interface Search extends TimeWindow {
  readonly where: string
  readonly order: 'newest' | 'oldest'
  readonly after?: Position
  /** Rows that are asked for at first; each further time twice as many. */
  readonly batch: number
}

const MAX_BATCH = 2048
/** A row has up to 256 KB with the bodies of a call, as digits. Until it is known how large rows are, so few are asked for. */
const FIRST_BATCH = 128
/** What a batch should take in memory, by the rows before it. */
const BATCH_BYTES = 32 * 1024 * 1024
/** How many times as large as the one before a batch may be: the next rows may be larger. */
const GROWTH = 8
/** A filter may take long for each row: after this time, other work on the same thread has its turn. */
const MAX_BUSY_MS = 10

/** The rows of a search in order, read as far as they are taken. */
export async function* candidates(reading: Reading, search: Search): AsyncGenerator<StoredCall> {
  let { after, batch } = search
  let most = FIRST_BATCH
  let since = performance.now()
  for (;;) {
    const limit = Math.min(batch, most)
    const rows = await reading.connection.rows(searchSql(reading, search, after, limit))
    const calls = rows.map((row) => new StoredCall(row, reading))
    await Promise.all([
      reading.flowStates?.load(calls),
      reading.late?.load(calls),
      reading.handshakes?.load(calls),
    ])
    for (const call of calls) {
      yield call
      if (performance.now() - since < MAX_BUSY_MS) continue
      await setImmediate()
      since = performance.now()
    }
    if (calls.length < limit) return
    after = calls.at(-1)?.position
    const bytes = calls.reduce((sum, call) => sum + call.bytes, 0)
    most = Math.max(1, Math.min(limit * GROWTH, Math.floor((BATCH_BYTES * calls.length) / bytes)))
    batch = limit < batch ? batch - limit : Math.min(batch * 2, Math.max(MAX_BATCH, search.batch))
  }
}

function searchSql(reading: Reading, search: Search, after: Position | undefined, limit: number): string {
  const direction = search.order === 'newest' ? 'DESC' : 'ASC'
  const conditions = [
    reading.ofNode(),
    search.where,
    ...windowSql(search),
    ...(after ? afterSql(after, search.order) : []),
  ]
  return `SELECT ${storedColumns} FROM ${reading.calls} AS c WHERE ${conditions.join(' AND ')}
    ORDER BY ${byTime(direction)}, c.flow ${direction}, c.ordinal ${direction} LIMIT ${limit} SETTINGS ${IN_ORDER}`
}

export function windowSql({ start, end }: TimeWindow): readonly string[] {
  return [
    ...(start === undefined ? [] : [`c.ts >= toFloat64(${start * 1000})`]),
    ...(end === undefined ? [] : [`c.ts <= toFloat64(${end * 1000})`]),
  ]
}

/** Beyond a position; the first condition alone lets the database skip what is far from it. */
function afterSql({ ts, flow, ordinal }: Position, order: Search['order']): readonly string[] {
  const beyond = order === 'newest' ? '<' : '>'
  const time = `toFloat64(${ts})`
  return [
    `c.ts ${beyond}= ${time}`,
    `(c.ts ${beyond} ${time} OR c.flow ${beyond} ${flow} OR (c.flow = ${flow} AND c.ordinal ${beyond} ${ordinal}))`,
  ]
}
