import { setImmediate } from 'node:timers/promises'
import type { DuckDBValue } from '@duckdb/node-api'
import { comparePositions, type Position, type TimeWindow } from '@tapdeck/questions'
import { callsWith } from './call-columns.ts'
import type { Chunk } from './chunk.ts'
import type { Engine } from './engine.ts'
import type { NamesCache } from './names.ts'
import { type Common, StoredCall, storedColumns } from './stored-call.ts'

/** Which rows, in which order, from where on. */
export interface Search extends TimeWindow {
  readonly where: string
  readonly order: 'newest' | 'oldest'
  readonly after?: Position
  /** Rows that are asked for at first; each further time twice as many. */
  readonly batch: number
}

/** A candidate and its chunk. */
export interface Candidate {
  readonly call: StoredCall
  readonly chunk: Chunk
}

/** What is done with a batch is done in one go: a writer on the same thread must not wait for long. */
const MAX_BATCH = 1024
/** A filter may take long for each row: after this time, other work on the same thread has its turn. */
const MAX_BUSY_MS = 10
/** Rows below which looking at a part of a chunk first costs more than it saves. */
const WORTH_PARTING = 100_000
/** How much of a chunk's time is looked at first, where it is not known how many rows a filter lets through. */
const FIRST_PART = 1 / 8

/** What reading rows takes. */
export interface Reading {
  readonly engine: Engine
  readonly chunks: readonly Chunk[]
  readonly names: NamesCache
  readonly common: Common
}

/**
 * The rows of all chunks in order, read as far as they are taken. A chunk is asked only when its times say that it
 * could have the next row: mostly the newest chunk answers alone.
 */
export async function* candidates(reading: Reading, search: Search): AsyncGenerator<Candidate> {
  const newest = search.order === 'newest'
  const sign = newest ? -1 : 1
  const edge = ({ counts }: Chunk) => (newest ? counts.newest : counts.oldest)
  const closed = reading.chunks
    .filter(({ counts }) => counts.calls > 0 && overlaps(counts.oldest, counts.newest, search))
    .sort((a, b) => sign * (edge(a) - edge(b)))
  const open: ChunkRows[] = []
  let since = performance.now()
  while (closed.length > 0 || open.length > 0) {
    let best = nextOf(open, sign)
    while (closed.length > 0 && (best === undefined || sign * (edge(closed[0]) - best.head.ts) <= 0)) {
      const [chunk] = closed.splice(0, 1)
      const rows = new ChunkRows(reading, chunk, search)
      if (await rows.fetch()) open.push(rows)
      best = nextOf(open, sign)
    }
    if (best === undefined) continue
    yield { call: best.take(), chunk: best.chunk }
    if (performance.now() - since > MAX_BUSY_MS) {
      await setImmediate()
      since = performance.now()
    }
    if (best.empty && !(await best.fetch())) open.splice(open.indexOf(best), 1)
  }
}

function nextOf(open: readonly ChunkRows[], sign: number): ChunkRows | undefined {
  if (open.length < 2) return open[0]
  return open.reduce((best, rows) => (sign * comparePositions(rows.head, best.head) < 0 ? rows : best))
}

/** The rows of one chunk, some at a time. */
class ChunkRows {
  readonly chunk: Chunk
  readonly #reading: Reading
  readonly #search: Search
  #batch: number
  #after: Position | undefined
  #rows: StoredCall[] = []
  #next = 0
  #last = false

  constructor(reading: Reading, chunk: Chunk, search: Search) {
    this.chunk = chunk
    this.#reading = reading
    this.#search = search
    this.#batch = search.batch
    this.#after = search.after
  }

  get head(): Position {
    return this.#rows[this.#next].position
  }

  get empty(): boolean {
    return this.#next >= this.#rows.length
  }

  take(): StoredCall {
    return this.#rows[this.#next++]
  }

  /** False where there are no more. */
  async fetch(): Promise<boolean> {
    if (this.#last) return false
    const { names, common } = this.#reading
    const rows = await this.#select()
    const known = await names.of(this.chunk)
    this.#rows = rows.map((row) => new StoredCall(row, known, this.chunk.segment, common))
    await common.late?.load(this.chunk)
    await common.flows?.load(this.#rows, this.chunk)
    this.#next = 0
    this.#last = rows.length < this.#batch
    this.#batch = Math.min(this.#batch * 2, Math.max(MAX_BATCH, this.#search.batch))
    this.#after = this.#rows.at(-1)?.position
    return rows.length > 0
  }

  /** Looks at a part of the remaining time first, nearest to where it begins, and at more of it where that is not enough. */
  async #select(): Promise<DuckDBValue[][]> {
    const { engine } = this.#reading
    const { counts } = this.chunk
    const { where, order } = this.#search
    const newest = order === 'newest'
    const from = this.#after?.ts ?? (newest ? counts.newest : counts.oldest)
    const whole = newest ? from - counts.oldest : counts.newest - from
    const enough = where === 'true' ? (4 * this.#batch) / counts.calls : FIRST_PART
    for (let part = counts.calls > WORTH_PARTING ? enough : 1; part < 1; part *= 8) {
      const until = newest
        ? `c.ts >= ${from - whole * part}::DOUBLE`
        : `c.ts <= ${from + whole * part}::DOUBLE`
      const rows = await engine.rows(this.#sql(until))
      if (rows.length === this.#batch) return rows
    }
    return engine.rows(this.#sql())
  }

  #sql(...bound: readonly string[]): string {
    const { where, order } = this.#search
    const direction = order === 'newest' ? 'DESC' : 'ASC'
    const conditions = [where, ...windowSql(this.#search), ...afterSql(this.#after, order), ...bound]
    return `SELECT ${storedColumns} FROM ${callsWith(this.chunk.database, where)} WHERE ${conditions.join(' AND ')}
      ORDER BY c.ts ${direction}, c.flow ${direction}, c.ordinal ${direction} LIMIT ${this.#batch}`
  }
}

export function overlaps(oldest: number, newest: number, { start, end }: TimeWindow): boolean {
  return (start === undefined || newest >= start * 1000) && (end === undefined || oldest <= end * 1000)
}

export function windowSql({ start, end }: TimeWindow): readonly string[] {
  return [
    ...(start === undefined ? [] : [`c.ts >= ${start * 1000}::DOUBLE`]),
    ...(end === undefined ? [] : [`c.ts <= ${end * 1000}::DOUBLE`]),
  ]
}

/** Beyond a position; the first condition alone lets the database skip what is far from it. */
function afterSql(after: Position | undefined, order: Search['order']): readonly string[] {
  if (after === undefined) return []
  const beyond = order === 'newest' ? '<' : '>'
  const { ts, flow, ordinal } = after
  const time = `${ts}::DOUBLE`
  return [
    `c.ts ${beyond}= ${time}`,
    `(c.ts ${beyond} ${time} OR c.flow ${beyond} ${flow} OR (c.flow = ${flow} AND c.ordinal ${beyond} ${ordinal}))`,
  ]
}
