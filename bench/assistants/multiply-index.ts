import { cpSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'

/** About as many as the index itself puts into one. */
const ROWS_A_CHUNK = 1_000_000

/** The calls of a small index and the time that they are spread over. Microseconds. */
export interface Spread {
  readonly rows: number
  readonly from: number
  readonly span: number
  /** Calls of the small index from this time on are those with the fault. */
  readonly faultAt: number
  /** Which share of the large index has no fault. */
  readonly healthy: number
  /** SQL for the path of row `n` of all, which was `path`: so that calls differ as much as in real traffic. */
  readonly path: string
}

/**
 * Makes a large index out of a small one that is closed: each chunk is a copy whose rows are repeated with other times and
 * ordinals, by the database. Payloads are shared by many rows. That takes seconds where appending calls takes minutes.
 */
export async function multiplyIndex(folder: string, spread: Spread): Promise<void> {
  const { rows } = spread
  const [first] = readdirSync(folder).filter((name) => name.startsWith('chunk-'))
  if (first === undefined) throw new Error(`${folder} has no chunk`)
  const count = Math.ceil(rows / ROWS_A_CHUNK)
  const names = Array.from({ length: count }, (_, at) => `chunk-${String(at + 1).padStart(6, '0')}`)
  for (const name of names.slice(1)) cpSync(join(folder, first), join(folder, name), { recursive: true })
  for (const [at, name] of names.entries()) {
    const from = at * ROWS_A_CHUNK
    await repeatRows(join(folder, name, 'calls.duckdb'), spread, from, Math.min(rows - from, ROWS_A_CHUNK))
  }
}

/** Rows `from` to `from + count` of all, in one chunk. */
async function repeatRows(file: string, spread: Spread, from: number, count: number): Promise<void> {
  const { rows, span, faultAt, healthy } = spread
  const database = await DuckDBInstance.create(file)
  const connection = await database.connect()
  const run = (sql: string) => connection.run(sql)
  const step = span / rows
  const half = (isFaulty: boolean) => `(SELECT *, row_number() OVER () - 1 AS place
    FROM calls WHERE ts ${isFaulty ? '>=' : '<'} ${faultAt})`
  await run(`CREATE TABLE fresh AS SELECT * FROM calls LIMIT 0`)
  const edge = Math.min(Math.max(Math.round(rows * healthy) - from, 0), count)
  for (const [isFaulty, begin, end] of [
    [false, 0, edge],
    [true, edge, count],
  ] as const) {
    if (end <= begin) continue
    await run(`INSERT INTO fresh SELECT base.* EXCLUDE (place)
      REPLACE (${spread.from} + (${from} + n)::DOUBLE * ${step} AS ts, (${from} + n)::INTEGER AS ordinal, ${spread.path} AS path)
      FROM (SELECT range AS n, range % (SELECT count(*) FROM ${half(isFaulty)}) AS wanted FROM range(${begin}, ${end})) numbers
      JOIN ${half(isFaulty)} base ON base.place = numbers.wanted ORDER BY n`)
  }
  // The index counts its rows and lists its ids when it opens a chunk that is not sealed.
  await run(`BEGIN; DELETE FROM calls; INSERT INTO calls SELECT * FROM fresh; DROP TABLE fresh; DELETE FROM sealed;
    DROP TABLE IF EXISTS ids; UPDATE flows SET start_ts = ${spread.from}, last_ts = ${spread.from + span}; COMMIT`)
  if (from > 0)
    await run(`UPDATE flows SET first = CASE WHEN first = 1 THEN 2 ELSE first END,
      handshake = CASE WHEN handshake = 1 THEN 2 ELSE handshake END`)
  await run('CHECKPOINT')
  connection.closeSync()
  database.closeSync()
}
