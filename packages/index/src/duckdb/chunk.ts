import { mkdirSync, rmSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { BlockCache } from '../payload/block-cache.ts'
import { Segment } from '../payload/segment.ts'
import { Counts } from './counts.ts'
import { type Engine, quote } from './engine.ts'
import type { Names } from './names.ts'
import { createStatements, listIds, migrateStatement } from './schema.ts'

/** So many of the first rows of a chunk match. */
export interface Counted {
  readonly rows: number
  readonly count: number
}

/** A log that is read anew in a second or two. */
const LONG_LOG = 8 * 1024 * 1024
/** What must be free on the disk, in times of the log. */
const FOLD_ROOM = 8

/** One folder of an index: a database of rows and a segment of payloads, complete in itself, dropped as a whole. */
export class Chunk {
  readonly number: number
  /** Its name in SQL. */
  readonly database: string
  readonly segment: Segment
  readonly #folder: string
  readonly #engine: Engine
  readonly counts: Counts
  /** Of a chunk that is written to: its names as the writer knows them. */
  names?: Names
  /** Nothing more will be written to it. */
  sealed = false
  /** Its calls can be found by id without looking at all of them. */
  listed = false
  /** What became known of its flows after their calls, as stored; absent: it was not read since it was written last. */
  late?: Promise<ReadonlyMap<number, string>> | undefined
  /** What conditions let through of its first rows, which cannot change any more. */
  readonly counted = new Map<string, Counted>()
  #readers = 0
  #dropped = false
  /** The log is being folded in. */
  #folding: Promise<void> | undefined

  private constructor(number: number, folder: string, engine: Engine, segment: Segment, counts: Counts) {
    this.number = number
    this.database = databaseOf(number)
    this.segment = segment
    this.#folder = folder
    this.#engine = engine
    this.counts = counts
  }

  static async create(root: string, number: number, engine: Engine, cache: BlockCache): Promise<Chunk> {
    const folder = join(root, folderOf(number))
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    const database = databaseOf(number)
    await engine.run(`ATTACH ${quote(join(folder, 'calls.duckdb'))} AS ${database}`)
    await engine.run(['BEGIN', ...createStatements(database), 'COMMIT'].join(';\n'))
    return new Chunk(
      number,
      folder,
      engine,
      new Segment(join(folder, 'payload.seg'), 'write', cache),
      new Counts(),
    )
  }

  static async open(
    root: string,
    number: number,
    engine: Engine,
    cache: BlockCache,
    mode: 'read' | 'write',
  ): Promise<Chunk> {
    const folder = join(root, folderOf(number))
    const database = databaseOf(number)
    const how = mode === 'read' ? ' (READ_ONLY)' : ''
    await engine.run(`ATTACH ${quote(join(folder, 'calls.duckdb'))} AS ${database}${how}`)
    try {
      await migrate(engine, database, mode === 'read' ? join(folder, 'calls.duckdb') : undefined)
      const counts = await Counts.load(engine, database)
      const [[sealed]] = await engine.rows(`SELECT count(*) FROM ${database}.sealed`)
      const chunk = new Chunk(
        number,
        folder,
        engine,
        new Segment(join(folder, 'payload.seg'), mode, cache),
        counts,
      )
      chunk.sealed = Number(sealed) > 0
      chunk.listed = chunk.sealed && (await hasTable(engine, database, 'ids'))
      return chunk
    } catch (error) {
      await engine.run(`DETACH ${database}`)
      throw error
    }
  }

  get bytes(): number {
    return sizeOf(this.#path()) + this.#logBytes() + this.segment.size
  }

  #path(): string {
    return join(this.#folder, 'calls.duckdb')
  }

  #logBytes(): number {
    return sizeOf(`${this.#path()}.wal`)
  }

  /** Holds the chunk while a query reads it; to be followed by `release`. */
  hold(): this {
    this.#readers++
    return this
  }

  async release(): Promise<void> {
    this.#readers--
    if (this.#dropped && this.#readers === 0) await this.#remove()
  }

  /**
   * Begins a checkpoint if the log has become long: after a crash the whole log is replayed before the first query. Not if
   * the disk is nearly full, because DuckDB treats a failed checkpoint as damage.
   */
  foldLongLog(): void {
    const bytes = this.#logBytes()
    if (this.#folding !== undefined || bytes < LONG_LOG || roomFor(this.#folder) < FOLD_ROOM * bytes) return
    this.#folding = this.#engine
      .run(`CHECKPOINT ${this.database}`)
      // A transaction is open: the next flush tries again.
      .catch(() => undefined)
      .finally(() => {
        this.#folding = undefined
      })
  }

  /** Lists its ids, folds the log into the database and notes the counts: the chunk is finished and cheap to open. `awaited`: as fast as may be. */
  async seal(awaited = false): Promise<void> {
    await this.#folding
    const run = (sql: string) => (awaited ? this.#engine.rows(sql) : this.#engine.run(sql))
    await run(listIds(this.database))
    await run(this.counts.insertStatement(this.database))
    await run(`CHECKPOINT ${this.database}`)
    this.segment.seal()
    this.sealed = true
    this.listed = true
  }

  /** Takes the seal off again, to go on writing. */
  async unseal(): Promise<void> {
    this.listed = false
    await this.#engine.run(`DELETE FROM ${this.database}.sealed`)
    await this.#engine.run(`DROP TABLE IF EXISTS ${this.database}.ids`)
    this.segment.unseal()
    this.sealed = false
  }

  /** Deletes it as soon as no query reads it. */
  async drop(): Promise<void> {
    this.#dropped = true
    if (this.#readers === 0) await this.#remove()
  }

  async detach(): Promise<void> {
    await this.#folding
    this.segment.close()
    await this.#engine.run(`DETACH ${this.database}`)
  }

  async #remove(): Promise<void> {
    await this.detach()
    rmSync(this.#folder, { recursive: true, force: true })
  }
}

/** The numbers of the chunks in a folder, oldest first. */
export function chunkNumbers(names: readonly string[]): readonly number[] {
  return names
    .map((name) => /^chunk-(\d+)$/.exec(name)?.[1])
    .filter((digits) => digits !== undefined)
    .map(Number)
    .sort((a, b) => a - b)
}

export function folderOf(number: number): string {
  return `chunk-${String(number).padStart(6, '0')}`
}

function databaseOf(number: number): string {
  return `chunk_${number}`
}

async function hasTable(engine: Engine, database: string, table: string): Promise<boolean> {
  const rows = await engine.rows(
    `SELECT 1 FROM duckdb_tables() WHERE database_name = ${quote(database)} AND table_name = ${quote(table)}`,
  )
  return rows.length > 0
}

/** A database that an older version wrote gets the columns that it lacks. `path`: it is attached to be read only. */
async function migrate(engine: Engine, database: string, path: string | undefined): Promise<void> {
  const known = `SELECT 1 FROM duckdb_columns() WHERE database_name = ${quote(database)} AND table_name = 'flows' AND column_name = 'late'`
  if ((await engine.rows(known)).length > 0) return
  if (path === undefined) {
    await engine.run(migrateStatement(database))
    return
  }
  await engine.run(`DETACH ${database}`)
  await engine.run(`ATTACH ${quote(path)} AS ${database}`)
  await engine.run(`${migrateStatement(database)}; CHECKPOINT ${database}; DETACH ${database}`)
  await engine.run(`ATTACH ${quote(path)} AS ${database} (READ_ONLY)`)
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0
}

/** Bytes that are free on the disk of a folder. */
function roomFor(folder: string): number {
  const { bavail, bsize } = statfsSync(folder)
  return bavail * bsize
}
